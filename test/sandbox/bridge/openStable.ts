import { renameSync, rmSync } from "node:fs";
import { chainFile } from "../chainFile.ts";
import { readHead } from "../readHead.ts";
import { type Anvil, startAnvil } from "../startAnvil.ts";

export type StableOptions = { dataDir: string; nowMs(): number; say(line: string): void };

/** The sandbox's chain 988: bridges of 'DEGEN 2 STABLE' end there, and nothing else happens. */
export type Stable = { anvil: Anvil; save(): Promise<void> };

const STABLE_ID = 988;
/** Nobody of the cast sends from there. */
const ACCOUNTS = 1;

/**
 * Opens chain 988 of the data directory: continued where it was, so that what arrived stays there,
 * or begun. A block comes with each transaction and no other, so it costs nothing while it rests.
 */
export async function openStable(options: StableOptions): Promise<Stable> {
	const { dataDir, nowMs } = options;
	const place = { dataDir, name: "stable" };
	const anvil = (await continued(options, place)) ?? (await begun(nowMs));
	await anvil.rpc.call("evm_setAutomine", [true]);
	return { anvil, save: () => chainFile.write(anvil.rpc, { ...place, world: null }) };
}

/** Null where there is none, or none that can be used. */
async function continued(
	{ say }: StableOptions,
	place: { dataDir: string; name: string },
): Promise<Anvil | null> {
	const found = chainFile.read(place);
	if (found.kind === "none") return null;
	let anvil: Anvil | null = null;
	if (found.kind === "found") {
		anvil = await start({ stateFile: found.stateFile }).catch(() => null);
		rmSync(found.stateFile, { force: true });
		const head = anvil && (await readHead(anvil.rpc).catch(() => null));
		if (anvil && head?.hash === found.headHash) return anvil;
	}
	await anvil?.stop();
	const file = chainFile.pathOf(place);
	say(`the saved chain ${STABLE_ID} cannot be used; it is kept as ${file}.broken`);
	renameSync(file, `${file}.broken`);
	return null;
}

async function begun(nowMs: () => number): Promise<Anvil> {
	const anvil = await start({ genesisTimeS: Math.floor(nowMs() / 1_000) });
	await anvil.rpc.call("evm_mine", []);
	return anvil;
}

function start(from: { stateFile: string } | { genesisTimeS: number }): Promise<Anvil> {
	return startAnvil({ accounts: ACCOUNTS, chainId: STABLE_ID, ...from });
}
