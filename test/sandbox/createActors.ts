import { toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import type { Actor } from "./World.ts";

const anvilMnemonic = "test test test test test test test test test test test junk";
/** Anvil's first ten accounts are left for people who try the service on this chain. */
const RESERVED_FOR_PEOPLE = 10;

/** Returns the world's actors, from anvil's own mnemonic after the first ten accounts. */
export function createActors(count: number): Actor[] {
	// The branch is derived once: mnemonicToAccount runs PBKDF2 at each call.
	const branch = mnemonicToAccount(anvilMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey();
	return Array.from({ length: count }, (_, i) => {
		const key = branch.deriveChild(RESERVED_FOR_PEOPLE + i);
		if (!key.privateKey) throw new Error("a derived key without its private half");
		return {
			privateKey: toHex(key.privateKey),
			address: privateKeyToAddress(toHex(key.privateKey)),
		};
	});
}
