"""Matrices: every hypothesis against every reference."""
