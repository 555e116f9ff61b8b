import { toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import type { HeldWallet } from "./Person.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
/** The account before the users'. */
const ACCOUNT = 999;

/**
 * Returns the application's own wallet, which buys tokens back; no user of the provider has it. It
 * is the same in each sandbox, and its id is BUYBACK_WALLET_ID.
 */
export function keeperWallet(): HeldWallet {
	const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: ACCOUNT }).getHdKey();
	if (!privateKey) throw new Error("a derived key without its private half");
	const key = toHex(privateKey);
	const whole = { privateKey: key, address: privateKeyToAddress(key) };
	return { ...whole, id: "sandboxwalletkeeper", isDelegated: true, isArchived: false };
}
