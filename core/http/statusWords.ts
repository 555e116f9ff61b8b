import { STATUS_CODES } from "node:http";

/** A status in the words of its RFC; undefined for one that has none. */
export function statusWords(status: number | string): string | undefined {
	return STATUS_CODES[status];
}
