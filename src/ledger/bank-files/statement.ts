// What all bank files have in common: statements of accounts, their lines, and errors that name the line of the file.
import { UserError } from '../../core/user-error.ts';

/** A booking of the bank. Amounts are in minor units, positive if money entered the account. Days are `yyyy-mm-dd`. */
export type BankLine = {
  /** The line of the file where it begins, from 1. */
  at: number;
  account: string;
  currency: string;
  amount: bigint;
  booked: string;
  /** The day from which it bears interest. */
  valued: string | undefined;
  /** The same in every file of one format that has the line: `bank-` and a hash. */
  id: string;
  /** Those of the payer and of the banks, as they are written, without repetition. */
  references: string[];
  /** What the payer wrote. */
  text: string;
  counterparty: string | undefined;
};

/**
 * A line before it has an id. `bankId`: the bank's own, if its format promises that none occurs twice. `written`: the days of booking and of
 * value as the file has them, where `booked` and `valued` depend on the zone.
 */
export type ReadLine = Omit<BankLine, 'account' | 'currency' | 'id'> & {
  bankId: string | undefined;
  written?: (string | undefined)[];
};

/** A statement as one format has it: balances in minor units, undefined where the format or the file has none. */
export type ReadStatement = {
  /** The line of the file where it begins. */
  at: number;
  account: string;
  currency: string;
  id: string | undefined;
  /** The first and the last day, if the file names them. */
  from: string | undefined;
  to: string | undefined;
  opening: Balance | undefined;
  closing: Balance | undefined;
  lines: ReadLine[];
  /** Lines that are not booked yet, or move no money. */
  ignored: number;
};

/** The first and the last day. */
export type Period = { from: string; to: string };

export type Balance = { amount: bigint; day: string };

/** A bank file cannot be read. The message is one line, and names the line of the file. */
export class BankFileError extends UserError {}

/** The error of a line of the file. */
export function faultAt(at: number, message: string): BankFileError {
  return new BankFileError(`Line ${at}: ${message}`);
}

/** A part of the file for a message: short, on one line, without control characters. */
export function quote(text: string): string {
  const shown = JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);
  return shown.replace(/[\u007f-\u009f\u2028\u2029]/g, '?');
}

const QUOTED_MAX = 40;
