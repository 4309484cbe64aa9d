"""Rewrites of modules, before and after."""
