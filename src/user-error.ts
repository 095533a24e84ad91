// An error that the user of a command can fix.

/** Its message is one line that says what is wrong and what to do. The command prints it without a stack. */
export class UserError extends Error {}
