import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { ApplierOptions } from "#plugins/market-index/apply/createApplier.ts";
import type { Confirmer } from "#plugins/market-index/confirm/createConfirmer.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";

/** A batch that is being applied to the index, with all that it needs. */
export type Applying = {
	options: ApplierOptions;
	confirmer: Confirmer;
	tx: Tx;
	chain: Chain;
	batch: NewEvents;
};
