"""The pipeline: request, choose, reserve, draw, record, certify. No printing, no English."""
