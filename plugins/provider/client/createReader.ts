import type { Call, Client } from "#plugins/provider/client/createClient.ts";
import type { ProviderPage, ProviderPageOptions } from "#plugins/provider/contract.ts";
import { ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { type RowsReading, readRows } from "#plugins/provider/wire/readRows.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

type ListReading<Row extends object> = RowsReading<Row> & { list: string };

/** Calls the provider and reads what it answers; nothing else of the plugin sees an answer. */
export type Reader = {
	/** One thing; null where the provider does not know it, or it is where nobody here looks. */
	one<Thing extends object>(
		call: Call,
		read: (json: unknown) => Reading<Thing>,
	): Promise<Thing | null>;
	/** The rows of an answer, under its member `list`; null where the provider knows no such list. */
	rows<Row extends object>(call: Call, list: ListReading<Row>): Promise<ProviderPage<Row> | null>;
	/** One page of rows; one that says so where the provider knows no such list. */
	page<Row extends object>(
		call: Call & { options: ProviderPageOptions },
		list: ListReading<Row>,
	): Promise<ProviderPage<Row>>;
};

export function createReader(client: Client): Reader {
	const rows: Reader["rows"] = async (call, { list, ...reading }) => {
		const answer = await client.call(call);
		if (answer === null) return null;
		const envelope = wireField.record.parse(answer.json);
		const sent = wireField.list.parse(envelope?.[list]);
		if (sent === null) throw client.unreadable(call, `no list "${list}"`);
		const read = readRows(sent, { ...reading, rowsMax: ROWS_PER_PAGE_MAX });
		const { items, unreadable, unreadableAtMs } = read;
		// A book in which nothing can be read is not an empty one: that would end every order. Rows of
		// other chains beside it change nothing of that.
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
			// A cursor that leads to itself would be followed for ever, and is no end either.
			client.brokeOff(call);
			return { ...page, cursor: null, isBroken: true };
		},
	};
}

/** Whether a list says that it has no next page. */
function isEnd(next: unknown): boolean {
	return next === null || next === undefined || next === "" || next === false;
}
