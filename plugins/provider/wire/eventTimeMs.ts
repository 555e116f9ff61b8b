import { wire } from "#plugins/provider/wire/wire.ts";

/**
 * When an event happened of which something else cannot be read; null where it does not tell.
 *
 * Whoever reads the list then knows where it is not whole: without that one odd row would cost all
 * that stands around it.
 */
export function eventTimeMs(row: unknown): number | null {
	const { data } = wire.sale.safeParse(row);
	return data?.event_timestamp ?? data?.closing_date ?? null;
}
