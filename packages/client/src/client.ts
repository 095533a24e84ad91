// Exports of `@earmark/client`.
export type { CallOptions, PostOptions } from './api.ts';
export { Earmark, type EarmarkOptions } from './earmark.ts';
export * from './errors.ts';
export type { PrivateKey } from './keys.ts';
export type { List, Page } from './list.ts';
export type * from './openapi.ts';
export type { AllocationRuleForm, AllocationStep, Batch, Reallocation } from './reallocations.ts';
export type { Created, Ref } from './reference.ts';
export type { ChipContent, FileContent } from './upload.ts';
export { type Delivery, verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './webhook.ts';
