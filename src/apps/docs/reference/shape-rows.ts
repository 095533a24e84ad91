// The HTML of shapes: members with their types and limits, nested members folded.
import { type Html, html } from '../../../platform/pages/html.ts';
import { type OpenApi, type Parameter, resolve } from '../openapi.ts';
import { rendered } from '../rendered.ts';
import { type Limit, limitsOf, type Member, type Shape, shapeOf } from './shape.ts';

/** Larger objects are folded, such as the links of a resource. */
const OPEN_MEMBERS_MAX = 2;

export function shapeRows(shape: Shape): Html {
  if (shape.alternatives.length > 0) {
    return html`<div class="alternatives">
      <p>One of:</p>
      ${shape.alternatives.map(
        (choice, index) => html`<details class="alternative" open=${index === 0}>
          <summary><code>${choice.name ?? choice.type}</code></summary>
          ${rendered(choice.description)} ${shapeRows(choice)}
        </details>`,
      )}
    </div>`;
  }
  return memberRows(shape.members);
}

/** Parameters as rows like those of members. */
export function parameterRows(document: OpenApi, parameters: Parameter[]): Html {
  const members = parameters.map(({ name, in: place, required = false, description = '', schema }): Member => {
    const { type } = shapeOf(document, schema);
    const found = resolve(document, schema);
    // Headers say their limits in words: they count quotes that surround the value.
    const limits =
      place === 'header' ? [] : [...limitsOf(found), ...(found.items ? limitsOf(resolve(document, found.items)) : [])];
    return { name, type, isRequired: required, description, limits, members: [] };
  });
  return memberRows(members);
}

function memberRows(members: Member[]): Html {
  return html`<ul class="members">
    ${members.map(
      (member) => html`<li>
        <div class="member">
          <code class="name">${member.name}</code> <span class="type">${member.type}</span>
          ${member.isRequired ? html` <span class="required">required</span>` : null}
        </div>
        ${rendered(member.description)} ${limitLine(member.limits)} ${nested(member)}
      </li>`,
    )}
  </ul>`;
}

function limitLine(limits: Limit[]): Html | null {
  if (limits.length === 0) return null;
  return html`<p class="limits">
    ${limits.map(({ text, values = [] }) => html`<span>${text} ${values.map((value) => html`<code>${value}</code> `)}</span>`)}
  </p>`;
}

function nested({ name, members }: Member): Html | null {
  if (members.length === 0) return null;
  return html`<details class="nested" open=${members.length <= OPEN_MEMBERS_MAX || name === '_embedded'}>
    <summary>${members.length === 1 ? '1 member' : `${members.length} members`} of <code>${name}</code></summary>
    ${memberRows(members)}
  </details>`;
}
