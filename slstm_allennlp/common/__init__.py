"""Helpers for all other folders. They do not depend on any encoder, model or corpus."""
