import type { Rpc } from "../../Rpc.ts";
import type { Collection, Metadata } from "../market/Market.ts";
import { readMetadata } from "./readMetadata.ts";

export type MetadataCache = {
	/** Returns metadata in the order of the ids; reads missing ones from the chain. */
	of(collection: Collection, ids: readonly bigint[]): Promise<Metadata[]>;
	/** Drops these: they have changed. */
	forget(collection: Collection, range: { fromId: bigint; toId: bigint }): void;
	clear(): void;
};

/** One entry is some 3 KB, with its picture. */
const HELD_MAX = 6_000;

/** Makes a cache of tokens' metadata, read when first needed and kept while there is room. */
export function createMetadataCache(rpc: Rpc): MetadataCache {
	const held = new Map<string, Metadata>();
	return {
		async of(collection, ids) {
			const { slug, facts } = collection;
			const keyOf = (id: bigint) => `${slug}/${id}`;
			const missing = ids.filter((id) => !held.has(keyOf(id)));
			const read = new Map<bigint, Metadata>();
			for (const [n, metadata] of (await readMetadata(rpc, facts, missing)).entries()) {
				const id = missing[n];
				if (id === undefined) continue;
				read.set(id, metadata);
				// A call that reverted may succeed later: the token's transfer is known before its state.
				if (metadata.uri !== "") held.set(keyOf(id), metadata);
			}
			const answer = ids.map((id) => read.get(id) ?? held.get(keyOf(id)));
			for (const key of held.keys()) {
				if (held.size <= HELD_MAX) break;
				held.delete(key);
			}
			return answer.filter((metadata) => metadata !== undefined);
		},
		forget({ slug }, { fromId, toId }) {
			for (const key of held.keys()) {
				const [of, id] = key.split("/");
				if (of === slug && BigInt(id ?? 0) >= fromId && BigInt(id ?? 0) <= toId) held.delete(key);
			}
		},
		clear: () => held.clear(),
	};
}
