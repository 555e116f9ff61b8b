import type { Chain } from "#core/chain/Chain.ts";
import { extensionPoint } from "#core/plugin/extensionPoint.ts";

/** Where a plugin puts the definition of a chain that is not built in. */
export const ChainPoint = extensionPoint<Chain>("core.chain");
