import type { Call, Client } from "#plugins/provider/client/createClient.ts";
import type { ProviderPage, ProviderPageOptions } from "#plugins/provider/contract.ts";
import { ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { readRows } from "#plugins/provider/wire/readRows.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

/** Calls the provider and reads what it answers; nothing else of the plugin sees an answer. */
export type Reader = {
	/** One thing; null where the provider does not know it, or it is where nobody here looks. */
	one<Thing extends object>(
		call: Call,
		read: (json: unknown) => Reading<Thing>,
	): Promise<Thing | null>;
	/** The rows of an answer, under its member `list`; null where the provider knows no such list. */
	rows<Row extends object>(
		call: Call,
		list: { list: string; read: (row: unknown) => Reading<Row> },
	): Promise<ProviderPage<Row> | null>;
	/** One page of rows; `asked` is the cursor that it was asked with. */
	page<Row extends object>(
		call: Call & { options: ProviderPageOptions },
		list: { list: string; read: (row: unknown) => Reading<Row> },
	): Promise<ProviderPage<Row>>;
};

export function createReader(client: Client): Reader {
	const rows: Reader["rows"] = async (call, { list, read }) => {
		const answer = await client.call(call);
		if (answer === null) return null;
		const envelope = wireField.record.parse(answer.json);
		const sent = wireField.list.parse(envelope?.[list]);
		if (sent === null) throw client.unreadable(call, `no list "${list}"`);
		const { items, unreadable } = readRows(sent, { rowsMax: ROWS_PER_PAGE_MAX, read });
		// A book in which nothing can be read is not an empty one: that would end every order.
		if (unreadable > 0 && unreadable === Math.min(sent.length, ROWS_PER_PAGE_MAX)) {
			throw client.unreadable(call, `none of ${unreadable} rows`);
		}
		client.leftOut(call, unreadable);
		return { items, cursor: wireField.cursor.parse(envelope?.next) };
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
			if (page === null) return { items: [], cursor: null };
			// A cursor that leads to itself would be followed for ever.
			return page.cursor === call.options.cursor ? { ...page, cursor: null } : page;
		},
	};
}
