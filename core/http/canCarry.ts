/** Where an operation's `detail` holds the headers; the document shows them at its answers. */
export const HEADERS_MEMBER = "x-answer-headers";

export type DocumentedHeader = { description: string; schema: Readonly<Record<string, unknown>> };

/**
 * Names headers that an operation's successful answers may carry, for the OpenAPI document.
 *
 * @example detail: { tags: ["trading"], ...canCarry(tradingDocumented.onceHeaders) }
 */
export function canCarry(headers: Readonly<Record<string, DocumentedHeader>>): {
	[HEADERS_MEMBER]: Readonly<Record<string, DocumentedHeader>>;
} {
	return { [HEADERS_MEMBER]: headers };
}
