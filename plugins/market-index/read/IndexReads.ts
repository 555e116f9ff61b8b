import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";

/** What of the runtime the reading side of the index needs. */
export type IndexReads = Pick<Core, "db" | "clock" | "chains" | "pageCache"> & {
	/** The chains of `CHAINS`, in its order. */
	readonly indexed: readonly { readonly chain: Chain }[];
	/** Chains of which only the provider tells; they are answered about when they are named. */
	readonly discovered?: readonly Chain[];
};
