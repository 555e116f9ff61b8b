import type { ProviderPush } from "#plugins/provider/contract.ts";
import {
	PUSHES_TOGETHER_MAX,
	QUEUE_BYTES_MAX,
	QUEUE_PUSHES_MAX,
} from "#plugins/provider/stream/limits.ts";

/** A push with its size, and the time from which events are missing if it is lost. */
export type Queued = { push: ProviderPush; bytes: number; atMs: number };

export type PushLines = {
	/** Returns false where it does not fit. */
	add(queued: Queued): boolean;
	/** Takes the first pushes of a collection that is not busy; empty for none. */
	take(busy: ReadonlySet<string>): Queued[];
	keepOnly(slugs: ReadonlySet<string>): void;
	size(): number;
};

/** Makes a queue for each collection, bounded together in number and in bytes. */
export function createPushLines(): PushLines {
	/** In the order of their turns. */
	const lines = new Map<string, Queued[]>();
	let pushes = 0;
	let bytes = 0;

	return {
		add(queued) {
			if (pushes >= QUEUE_PUSHES_MAX || bytes + queued.bytes > QUEUE_BYTES_MAX) return false;
			const { slug } = queued.push;
			const line = lines.get(slug);
			if (line) line.push(queued);
			else lines.set(slug, [queued]);
			pushes++;
			bytes += queued.bytes;
			return true;
		},
		take(busy) {
			for (const [slug, line] of lines) {
				if (busy.has(slug)) continue;
				const taken = line.splice(0, PUSHES_TOGETHER_MAX);
				// Moved to the end: one busy collection does not keep the others waiting.
				lines.delete(slug);
				if (line.length > 0) lines.set(slug, line);
				pushes -= taken.length;
				for (const one of taken) bytes -= one.bytes;
				return taken;
			}
			return [];
		},
		keepOnly(slugs) {
			for (const [slug, line] of [...lines]) {
				if (slugs.has(slug)) continue;
				lines.delete(slug);
				pushes -= line.length;
				for (const dropped of line) bytes -= dropped.bytes;
			}
		},
		size: () => pushes,
	};
}
