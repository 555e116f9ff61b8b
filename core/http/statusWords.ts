import { STATUS_CODES } from "node:http";

/** Returns a status in the words of its RFC; undefined for an unknown one. */
export function statusWords(status: number | string): string | undefined {
	return STATUS_CODES[status];
}
