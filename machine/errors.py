"""The error that a user can put right."""


class UserError(Exception):
    """What is wrong, where, and what to do, in one line; `machine.terminal.Commands` prints it.

    exit_code: that of the program: 1 where the work could not be done, 2 for bad usage.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message, exit_code)
        self.message, self.exit_code = message, exit_code

    def __str__(self) -> str:
        return self.message
