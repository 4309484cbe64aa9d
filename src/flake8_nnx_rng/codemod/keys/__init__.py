"""Where keys are drawn from or taken, and how they get there."""
