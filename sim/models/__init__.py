"""Agents with language models: what they are asked, how their providers are called, and what it costs."""

from machine.errors import UserError


class ModelError(UserError):
    """Why a model can't be asked as its team says, and what to do. It is bad usage: exit code 2."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message, exit_code)
