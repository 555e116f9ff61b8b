/** The member of an operation's `detail` with its answers' headers, for the document. */
export const HEADERS_MEMBER = "x-answer-headers";

export type DocumentedHeader = { description: string; schema: Readonly<Record<string, unknown>> };

/**
 * Declares headers that an operation's successful answers may have, for the OpenAPI document.
 *
 * @example detail: { tags: ["trading"], ...canCarry(tradingDocumented.onceHeaders) }
 */
export function canCarry(headers: Readonly<Record<string, DocumentedHeader>>): {
	[HEADERS_MEMBER]: Readonly<Record<string, DocumentedHeader>>;
} {
	return { [HEADERS_MEMBER]: headers };
}
