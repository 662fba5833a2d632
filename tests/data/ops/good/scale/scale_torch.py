"""A Triton or torch implementation."""
