import { type Hex, keccak256 } from "viem";
import { signTransaction } from "viem/accounts";
import { z } from "zod";
import type { HeldWallet } from "../people/Person.ts";
import type { CustodyChain } from "./CustodyOffice.ts";
import { Denial } from "./Denial.ts";
import type { RpcTransaction } from "./rpcBody.ts";

const GAS_DEFAULT = 500_000n;
const FEE_DEFAULT = 3_000_000_000n;
const TIP_DEFAULT = 100_000_000n;
const NONCE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const quantity = z.string().transform(Number);

/** Signs a transaction; missing members are filled in, the nonce by the node's count. */
export async function signHeld(
	wallet: HeldWallet,
	{ chain, transaction }: { chain: CustodyChain; transaction: RpcTransaction },
): Promise<{ raw: Hex; hash: Hex; nonce: number }> {
	const { chain_id, from, to, value, data, nonce: wanted } = transaction;
	if (chain_id !== undefined && chain_id !== BigInt(chain.id)) {
		throw new Denial(400, "Transaction chain_id does not match");
	}
	if (from !== undefined && from.toLowerCase() !== wallet.address.toLowerCase()) {
		throw new Denial(400, "Transaction from does not match the wallet");
	}
	if (wanted !== undefined && wanted > NONCE_MAX) throw new Denial(400, "Invalid nonce");
	const nonce =
		wanted === undefined
			? quantity.parse(await chain.rpc.call("eth_getTransactionCount", [wallet.address, "pending"]))
			: Number(wanted);
	const maxFeePerGas = transaction.max_fee_per_gas ?? FEE_DEFAULT;
	const tip = transaction.max_priority_fee_per_gas ?? TIP_DEFAULT;
	if (tip > maxFeePerGas) throw new Denial(400, "The tip is more than the fee");
	const raw = await signTransaction({
		privateKey: wallet.privateKey,
		transaction: {
			type: "eip1559",
			chainId: chain.id,
			to,
			value,
			data,
			nonce,
			gas: transaction.gas_limit ?? GAS_DEFAULT,
			maxFeePerGas,
			maxPriorityFeePerGas: tip,
		},
	});
	return { raw, hash: keccak256(raw), nonce };
}
