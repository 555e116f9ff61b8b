import type { Signatures } from "../book/signatures.ts";
import type { MetadataCache } from "../chain/metadataCache.ts";
import type { Market } from "../market/Market.ts";

/** What every route needs. */
export type Office = {
	market(): Market;
	metadata: MetadataCache;
	signatures: Signatures;
	/** The emulator's URL, for the links in its answers. */
	publicUrl: string;
	usdPerEther: number;
};

/** The provider's spelling of chain 31337; the real one has no test chains. */
export const CHAIN = "anvil";
export const CHAIN_ID = 31_337;
