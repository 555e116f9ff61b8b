import type { Hex } from "viem";
import { hashTypedData } from "viem";
import { sign, signMessage } from "viem/accounts";
import type { CustodyFault } from "../faults/CustodyFault.ts";
import type { HeldWallet } from "../people/Person.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { Denial } from "./Denial.ts";
import type { RpcBody } from "./rpcBody.ts";
import { sendTransaction } from "./sendTransaction.ts";
import { signHeld } from "./signHeld.ts";

export type RpcAsked = {
	wallet: HeldWallet;
	/** After this time nothing may be broadcast. */
	expiresAtMs: number | null;
	fault: CustodyFault | null;
};

/** Does what a wallet was asked to do; the caller has been checked before. */
export async function performRpc(
	office: CustodyOffice,
	body: RpcBody,
	asked: RpcAsked,
): Promise<unknown> {
	const { privateKey } = asked.wallet;
	switch (body.method) {
		case "eth_sendTransaction":
			return { method: body.method, data: await sendTransaction(office, body, asked) };
		case "eth_signTransaction": {
			const { transaction } = body.params;
			const named = transaction.chain_id;
			const chain = named === undefined ? office.firstChain : office.chainOf(`eip155:${named}`);
			if (!chain) throw new Denial(400, "Unsupported chain");
			const { raw } = await signHeld(asked.wallet, { chain, transaction });
			return { method: body.method, data: { signed_transaction: raw, encoding: "rlp" } };
		}
		case "personal_sign": {
			const { encoding, message } = body.params;
			const raw: Hex = `0x${message}`;
			const text = encoding === "utf-8" ? message : { raw };
			const signature = await signMessage({ message: text, privateKey });
			return { method: body.method, data: { signature, encoding: "hex" } };
		}
		case "eth_signTypedData_v4": {
			const { domain, types, primary_type: primaryType, message } = body.params.typed_data;
			const hash = hashOf({ domain, types, primaryType, message });
			const signature = await sign({ hash, privateKey, to: "hex" });
			return { method: body.method, data: { signature, encoding: "hex" } };
		}
	}
}

function hashOf(typedData: {
	domain: Record<string, unknown>;
	types: Record<string, { name: string; type: string }[]>;
	primaryType: string;
	message: Record<string, unknown>;
}): Hex {
	try {
		return hashTypedData(typedData);
	} catch {
		throw new Denial(400, "Invalid typed data");
	}
}
