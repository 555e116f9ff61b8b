// Reads the provider's answers: one thing, a list of rows, or a page.

import { assert } from "#core/fault.ts";
import type { Call, Client } from "#plugins/provider/client/createClient.ts";
import type { ProviderPage, ProviderPageOptions } from "#plugins/provider/contract.ts";
import { ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import {
	type ChainNames,
	type Reading,
	type RowsReading,
	readRows,
	wireField,
} from "#plugins/provider/wire/rows.ts";

/** Calls the provider and reads its answers; no other part of the plugin sees a raw answer. */
export type Reader = {
	/** Returns one thing; null where the provider does not know it, or it is on an unknown chain. */
	one<Thing extends object>(
		call: Call,
		read: (json: unknown) => Reading<Thing>,
	): Promise<Thing | null>;
	/**
	 * Returns the rows of an answer, from its member `list`; null where the provider knows no such
	 * list.
	 */
	rows<Row extends object>(call: Call, list: ListReading<Row>): Promise<ProviderPage<Row> | null>;
	/** Returns one page of rows; with `isUnknown` where the provider knows no such list. */
	page<Row extends object>(
		call: Call & { options: ProviderPageOptions },
		list: ListReading<Row>,
	): Promise<ProviderPage<Row>>;
};

type ListReading<Row extends object> = RowsReading<Row> & { list: string };

export function createReader(client: Client): Reader {
	const rows: Reader["rows"] = async (call, { list, ...reading }) => {
		const answer = await client.call(call);
		if (answer === null) return null;
		const envelope = wireField.record.parse(answer.json);
		const sent = wireField.list.parse(envelope?.[list]);
		if (sent === null) throw client.unreadable(call, `no list "${list}"`);
		const read = readRows(sent, { ...reading, rowsMax: ROWS_PER_PAGE_MAX });
		const { items, unreadable, unreadableAtMs } = read;
		// A book without a readable row must not pass for an empty one, which would end every order.
		// Rows of other chains beside the unreadable ones do not change that.
		if (unreadable > 0 && items.length === 0) {
			throw client.unreadable(call, `none of ${unreadable} rows`);
		}
		client.leftOut(call, unreadable);
		const cursor = wireField.cursor.parse(envelope?.next);
		const isBroken = cursor === null && !isEnd(envelope?.next);
		if (isBroken) client.brokeOff(call);
		const times = unreadableAtMs.length > 0 && { unreadableAtMs };
		return {
			...{ items, cursor },
			...(isBroken && { isBroken }),
			...(unreadable > 0 && { unreadable, ...times }),
		};
	};
	return {
		rows,
		async one(call, read) {
			const answer = await client.call(call);
			if (answer === null) return null;
			const reading = read(answer.json);
			if (reading === "unreadable") throw client.unreadable(call, "not what its schema says");
			return reading === "elsewhere" ? null : reading;
		},
		async page(call, list) {
			const page = await rows(call, list);
			if (page === null) return { items: [], cursor: null, isUnknown: true };
			if (page.cursor === null || page.cursor !== call.options.cursor) return page;
			// A cursor that leads to itself would be followed forever, and it is no end either.
			client.brokeOff(call);
			return { ...page, cursor: null, isBroken: true };
		},
	};
}

/** Returns the provider's name of a chain from the registry. */
export function chainName(chains: ChainNames, chainId: number): string {
	const name = chains.nameOf(chainId);
	assert(name !== null, "a chain that is asked for is one of the registry's");
	return name;
}

/**
 * Returns how many rows to ask for: as many as a page can have unless fewer suffice, because each
 * page costs a call.
 */
export function pageLimit(asked: number | undefined, rowsMax: number): number {
	return Math.min(Math.max(Math.trunc(asked ?? rowsMax), 1), rowsMax);
}

/** Says whether a list has no next page. */
function isEnd(next: unknown): boolean {
	return next === null || next === undefined || next === "" || next === false;
}
