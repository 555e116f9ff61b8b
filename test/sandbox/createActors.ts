import { toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import type { Actor } from "./World.ts";

const anvilMnemonic = "test test test test test test test test test test test junk";
/** Anvil's first ten accounts are left to people: wallets which try the service on this chain. */
const RESERVED_FOR_PEOPLE = 10;

/** The world's people, on anvil's own mnemonic after the first ten accounts. */
export function createActors(count: number): Actor[] {
	// One derivation of the branch: mnemonicToAccount runs PBKDF2 at each call.
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
