"""The use cases: certify, verify, advise, check expectations. This is the Python API."""
