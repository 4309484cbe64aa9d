"""From a document to proposals, each one tried."""
