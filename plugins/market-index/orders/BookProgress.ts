import { z } from "zod";

const side = z.object({
	/** The cursor of the page that did not arrive; null for the first page. */
	cursor: z.string().nullable(),
	pages: z.int().min(0),
	/** True: all of this side was read. */
	isOver: z.boolean(),
	isWhole: z.boolean(),
});

const progress = z.object({ askedAtMs: z.number(), listings: side, offers: side });

/** How far a side of a book was read when a limit ended it. */
export type SideProgress = z.infer<typeof side>;

/**
 * A reading of a book that the next turn continues: when it began, and the progress of each side.
 */
export type BookProgress = z.infer<typeof progress>;

/** The progress of an unread book. */
export const UNREAD: SideProgress = { cursor: null, pages: 0, isOver: false, isWhole: false };

/** Returns the stored progress; null where it is older than `maxMs`, or cannot be parsed. */
export function storedProgress(
	stored: unknown,
	{ nowMs, maxMs }: { nowMs: number; maxMs: number },
): BookProgress | null {
	const { data } = progress.safeParse(stored);
	if (!data) return null;
	const ageMs = nowMs - data.askedAtMs;
	return ageMs >= 0 && ageMs <= maxMs ? data : null;
}
