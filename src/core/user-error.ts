// The error class for problems that the user of a command can fix.

/** The message is one line: what is wrong and how to fix it. The command prints it without a stack. */
export class UserError extends Error {}
