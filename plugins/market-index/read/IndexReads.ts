import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";

/** The part of the runtime that the reading side of the index needs. */
export type IndexReads = Pick<Core, "db" | "clock" | "chains" | "pageCache"> & {
	/** The chains of `CHAINS`, in its order. */
	readonly indexed: readonly { readonly chain: Chain }[];
	/** Chains that only the provider tells about; they are served when they are named. */
	readonly discovered?: readonly Chain[];
};
