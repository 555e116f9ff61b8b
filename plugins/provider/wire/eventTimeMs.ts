import { wire } from "#plugins/provider/wire/wire.ts";

/**
 * Returns when an otherwise unreadable event happened; null where it does not say.
 *
 * The reader of the list then knows the time of the gap: without it one odd row would cost all rows
 * around it.
 */
export function eventTimeMs(row: unknown): number | null {
	const { data } = wire.sale.safeParse(row);
	return data?.event_timestamp ?? data?.closing_date ?? null;
}
