"""Helpers of all other folders: they know of no encoder, model or corpus."""
