// Labels, holds, schedules, monitors and allocation rules: made and ended on pages below that of their customer.
import type { Service } from '../../service/service.ts';
import type { Pages } from '../screen.ts';
import { addCapture } from './hold-capture.ts';
import { addHoldForms } from './hold-forms.ts';
import { addHoldPage } from './hold-page.ts';
import { addLabelForms } from './label-forms.ts';
import { addMonitorForms } from './monitor-forms.ts';
import { addRuleForms } from './rule-forms.ts';
import { addScheduleForms } from './schedule-forms.ts';

/** Texts for `?done=…` on the page of a customer. */
export const PLANNED_DONE = {
  held: 'The money is held.',
  captured: 'The held money is captured.',
  released: 'The hold is released.',
  scheduled: 'The schedule is created.',
  'schedule-paused': 'The schedule is paused.',
  'schedule-resumed': 'The schedule is resumed.',
  'schedule-ended': 'The schedule has ended.',
  labelled: 'The label is made. It has no money yet.',
  renamed: 'The label has its new name.',
  unlabelled: 'The label is removed. Its entries stay in the ledger.',
  watched: 'The balance is watched.',
  unwatched: 'The monitor is deleted.',
  divided: 'The allocation rule is created. It applies to further deposits.',
  undivided: 'The allocation rule is deleted.',
} as const;

export function addPlanned(pages: Pages, service: Service): void {
  addHoldForms(pages, service);
  addHoldPage(pages, service);
  addCapture(pages, service);
  addScheduleForms(pages, service);
  addMonitorForms(pages, service);
  addLabelForms(pages, service);
  addRuleForms(pages, service);
}
