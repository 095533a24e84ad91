// Fills in a form of a page again with the fields that were sent: text, choices and ticks, but no hidden fields.
import { cloneElement, isValidElement, type VNode } from 'preact';
import type { Html } from '../../platform/pages/html.ts';
import type { SentForm } from '../../resources/operators/kept.ts';

type Props = Record<string, unknown> & { children?: Html };
type Element = VNode<Props>;

/** Returns the content with the fields in each of its forms that is sent to the same path, and is of the same item of a list. */
export function refill(content: Html, { action, fields }: Pick<SentForm, 'action' | 'fields'>): Html {
  const sent = new URLSearchParams(fields);
  return mapElements(content, (form) => {
    if (form.type !== 'form' || String(form.props.action).split('?')[0] !== action) return undefined;
    if (isOfOther(form.props.children, sent.get('item'))) return undefined;
    return cloneElement(
      form,
      {},
      mapElements(form.props.children, (control) => fillIn(control, sent)),
    );
  });
}

/** Whether a form has another item in its hidden field. */
function isOfOther(content: Html, item: string | null): boolean {
  if (Array.isArray(content)) return content.some((part) => isOfOther(part, item));
  if (!isValidElement(content)) return false;
  const { name, type, value, children } = (content as Element).props;
  return (type === 'hidden' && name === 'item' && value !== item) || isOfOther(children, item);
}

/** Replaces each element for which `change` returns another; the others keep their place. */
function mapElements(content: Html, change: (element: Element) => Element | undefined): Html {
  if (Array.isArray(content)) return content.map((part) => mapElements(part, change));
  if (!isValidElement(content)) return content;
  const element = content as Element;
  const changed = change(element);
  if (changed) return changed;
  const { children } = element.props;
  return children === undefined ? element : cloneElement(element, {}, mapElements(children, change));
}

function fillIn(control: Element, sent: URLSearchParams): Element | undefined {
  const { name, type, value } = control.props;
  if (typeof name !== 'string' || type === 'hidden' || type === 'submit') return undefined;
  const given = sent.getAll(name);
  if (type === 'checkbox' || type === 'radio') return cloneElement(control, { checked: given.includes(String(value)) });
  if (given.length === 0) return undefined;
  switch (control.type) {
    case 'input':
      return cloneElement(control, { value: given[0] });
    case 'textarea':
      return cloneElement(control, {}, given[0]);
    case 'select':
      return cloneElement(
        control,
        {},
        mapElements(control.props.children, (option) => select(option, given)),
      );
    default:
      return undefined;
  }
}

function select(option: Element, given: string[]): Element | undefined {
  return option.type === 'option' ? cloneElement(option, { selected: given.includes(String(option.props.value)) }) : undefined;
}
