"""TO BE WRITTEN: compare."""

from __future__ import annotations

from fastapi import APIRouter

screens = APIRouter(include_in_schema=False)
