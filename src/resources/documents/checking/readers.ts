// The processes that read documents. Their tasks are pictures and chips, each with its own kind of reading.
import { extname } from 'node:path';
import type { ChipReading } from '../chip/verify-chip.ts';
import { type Limits, openProcessPool, type Tried } from '../process-pool.ts';
import type { ChipTask, PictureReading, PictureTask } from './read-process.ts';

/** A result is undefined if the document cannot be read. */
export type Readers = {
  picture(task: PictureTask): Promise<Tried<PictureReading | undefined>>;
  chip(task: ChipTask): Promise<Tried<ChipReading | undefined>>;
  close(): void;
};

/** Beside this file, as .ts or compiled to .js. */
const PROGRAM = new URL(`./read-process${extname(import.meta.url)}`, import.meta.url);

export function openReaders(limits: Partial<Limits> = {}): Readers {
  const pool = openProcessPool<PictureTask | ChipTask, PictureReading | ChipReading | undefined>(PROGRAM, limits);
  return {
    picture: (task) => pool.run(task) as Promise<Tried<PictureReading | undefined>>,
    chip: (task) => pool.run(task) as Promise<Tried<ChipReading | undefined>>,
    close: pool.close,
  };
}
