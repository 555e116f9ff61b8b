// Lets operators take chains out of bridging, and say which contracts of the provider's to trust.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { codeHashOf } from "#plugins/bridge/bridges/pinContracts.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { type Pin, type PinRole, readPins, replacePin } from "#plugins/bridge/sql/pins.ts";
import { switchChain } from "#plugins/bridge/sql/preferences.ts";

type Named = {
	chainId: number;
	role: PinRole;
	address: Address;
	/** The hash of the code that the operator checked; null: none was named. */
	codeHash: Hex | null;
};

const PIN_TIMEOUT_MS = 10_000;

/** Makes what operators do with chains, each in the audit log with its actor. */
export function operateChains(context: BridgeContext) {
	const { core, steps } = context;
	return {
		/** Takes a chain out, or back in, and answers what stood there before. */
		async switchChain(
			{ chainId, isOn }: { chainId: number; isOn: boolean },
			actor: string,
		): Promise<boolean | null> {
			const at = new Date(core.clock.nowMs());
			const act = async (tx: Tx) => {
				const before = await switchChain(tx, { chainId, isOn, actor, at });
				await core.audit.append(tx, {
					...{ actor: `operator:${actor}`, action: "bridge.chain.switched" },
					...{ subject: `chain:${chainId}`, detail: { before, after: isOn } },
				});
				return before;
			};
			return await steps.run("bridge.close", () => core.db.transaction(act));
		},
		/**
		 * Pins a contract or a solver of the provider's, in place of what was pinned, with the code
		 * that the operator names, if it has that now; answers all pins of the chain.
		 */
		async pin(named: Named, actor: string): Promise<Pin[]> {
			const { chainId, role, address } = named;
			const codeHash = await codeToPin(context, named);
			const at = new Date(core.clock.nowMs());
			const act = async (tx: Tx) => {
				const before = await readPins(tx, [chainId]);
				await replacePin(tx, { ...named, codeHash }, { by: actor, at });
				await core.audit.append(tx, {
					...{ actor: `operator:${actor}`, action: "bridge.contract.pinned" },
					...{ subject: `chain:${chainId}` },
					detail: { before, after: { role, address, codeHash } },
				});
				return await readPins(tx, [chainId]);
			};
			return await steps.run("bridge.close", () => core.db.transaction(act));
		},
	};
}

/**
 * Reads the code that is pinned; of solvers, and of what fills orders, none is. Throws a Fault
 * where there is none to read, or another than the operator looked at.
 */
async function codeToPin(
	{ readers, ending }: BridgeContext,
	{ chainId, role, address, codeHash: shown }: Named,
): Promise<Hex | null> {
	if (role === "solver" || role === "filler") return null;
	const read = readers.own(chainId);
	const signal = AbortSignal.any([ending, AbortSignal.timeout(PIN_TIMEOUT_MS)]);
	const codeHash = read && (await codeHashOf(read, address, signal));
	if (codeHash === null) throw bridgeFault.chainUnreadable();
	if (codeHash === "none") throw bridgeFault.contractMissing();
	if (codeHash !== shown) throw bridgeFault.contractCode({ members: { codeHash } });
	return codeHash;
}
