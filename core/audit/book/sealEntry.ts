import { z } from "zod";
import type { BookWindow } from "#core/audit/book/AuditBook.ts";

/** The entry that a batch has in the chain. */
export const sealEntry = {
	action: "books.sealed",
	/** What an entry's text says of its batch; null where it is an entry of another kind. */
	read(text: string): SealedBatch | "unreadable" | null {
		const parsed: unknown = JSON.parse(text);
		if (!ofThisKind.safeParse(parsed).success) return null;
		const { data } = schema.safeParse(parsed);
		return data ? { ...data.detail, atMs: Date.parse(data.at) } : "unreadable";
	},
};

const mark = z.object({ tx: z.int(), open: z.array(z.int()) });
const ofThisKind = z.object({ action: z.literal("books.sealed") });
const schema = z.object({
	at: z.string(),
	detail: z.object({
		book: z.string(),
		batch: z.int(),
		from: mark,
		to: mark,
		/** Whether nothing was left over: what was committed by then is in this batch or before. */
		isWhole: z.boolean(),
		/** By source: how many rows, and the sha256 of their leaves. */
		sources: z.record(z.string(), z.object({ rows: z.int(), root: z.string() })),
	}),
});

export type SealedBatch = BookWindow & {
	book: string;
	batch: number;
	isWhole: boolean;
	sources: Readonly<Record<string, { rows: number; root: string }>>;
	atMs: number;
};
