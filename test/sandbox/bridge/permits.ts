// Asks for and takes an owner's signature in place of a deposit.

import {
	type Address,
	encodeFunctionData,
	type Hex,
	keccak256,
	parseAbi,
	recoverMessageAddress,
	recoverTypedDataAddress,
	toHex,
} from "viem";
import { z } from "zod";
import type { BridgeFaults, PERMIT_LIE_KINDS } from "./BridgeFault.ts";
import {
	type BridgeChain,
	type BridgeCurrency,
	type BridgeEntry,
	type BridgePermit,
	type BridgeWorld,
	sendAsSolver,
} from "./BridgeWorld.ts";

const THIEF: Address = "0x00000000000000000000000000000000bad0bad0";
const FOREVER = 4_000_000_000;
const RECEIVE_WITH_AUTHORIZATION = [
	{ name: "from", type: "address" },
	{ name: "to", type: "address" },
	{ name: "value", type: "uint256" },
	{ name: "validAfter", type: "uint256" },
	{ name: "validBefore", type: "uint256" },
	{ name: "nonce", type: "bytes32" },
] as const;
const proxyAbi = parseAbi([
	"struct Authorization { address token; address from; uint256 value; uint256 validAfter; uint256 validBefore; bytes32 nonce; }",
	"function depositAuthorized(Authorization it, bytes signature, address depository, bytes32 orderId)",
]);
const Body = z.object({ kind: z.enum(["eip3009", "order"]), requestId: z.string() });
const isSignature = (text: string | null): text is Hex =>
	text !== null && /^0x[0-9a-f]{130}$/i.test(text);

/** Where signatures are taken: a part of the provider's office. */
export type PermitOffice = {
	world: BridgeWorld;
	faults: BridgeFaults;
	/** Does something on chain that nobody waits for. */
	begin(work: Promise<void>): void;
};

/** What an owner may sign in place of a deposit; null where the currency has no such thing. */
export function permitOf(
	{ chain, currency }: { chain: BridgeChain; currency: BridgeCurrency },
	given: { user: Address; raw: bigint; orderId: Hex; deadlineS: number },
): BridgePermit | null {
	const { user, raw, orderId, deadlineS } = given;
	if (!currency.supportsPermit) return null;
	// As the real one has it: the nonce stands for what the contract does with the money.
	const nonce = keccak256(toHex(`${chain.approvalProxy} ${chain.depository} ${raw} ${orderId}`));
	return {
		authorization: {
			...{ token: currency.address, from: user, value: raw },
			...{ validAfter: 0n, validBefore: BigInt(deadlineS), nonce },
		},
		...{ signature: null, handed: [], asksForOrder: false },
	};
}

/** The step of a quote that asks for it. */
export function permitStep(entry: BridgeEntry, permit: BridgePermit) {
	const { validAfter, validBefore } = permit.authorization;
	const { domain, message } = typedDataOf(entry, permit);
	return stepOf(entry, "authorize1", {
		kind: "eip3009",
		sign: {
			...{ signatureKind: "eip712", domain, primaryType: "ReceiveWithAuthorization" },
			types: { ReceiveWithAuthorization: RECEIVE_WITH_AUTHORIZATION },
			value: {
				...{ ...message, value: String(message.value) },
				...{ validAfter: Number(validAfter), validBefore: Number(validBefore) },
			},
		},
	});
}

/** The step that asks for the owner's word on the order: its id, signed as bytes. */
export function orderStep(entry: BridgeEntry, message: Hex = entry.orderId) {
	const sign = { signatureKind: "eip191", message };
	return stepOf(entry, "authorize2", { kind: "order", sign });
}

function stepOf(
	{ requestId }: BridgeEntry,
	id: string,
	{ kind, sign }: { kind: string; sign: object },
) {
	const post = {
		...{ endpoint: "/execute/permits", method: "POST" },
		body: { kind, requestId, api: "bridge" },
	};
	const check = { endpoint: `/intents/status/v3?requestId=${requestId}`, method: "GET" };
	return {
		...{ id, action: "Authorize", description: "Sign it", kind: "signature", requestId },
		items: [{ status: "incomplete", data: { sign, post }, check }],
	};
}

function typedDataOf({ origin }: BridgeEntry, { authorization }: BridgePermit) {
	const { token, ...rest } = authorization;
	const { chain, currency } = origin;
	return {
		domain: {
			...{ name: currency.name, version: "1" },
			...{ chainId: chain.id, verifyingContract: token },
		},
		types: { ReceiveWithAuthorization: RECEIVE_WITH_AUTHORIZATION },
		primaryType: "ReceiveWithAuthorization" as const,
		message: { ...rest, to: chain.approvalProxy },
	};
}

/** `POST /execute/permits`: takes a signature, which the solver uses once it has all of them. */
export async function takePermit(
	office: PermitOffice,
	signature: string | null,
	request: Request,
): Promise<Response> {
	const { data } = Body.safeParse(await request.json().catch(() => null));
	const entry = office.world.entries.find((one) => one.requestId === data?.requestId);
	const permit = entry?.permit;
	if (!data || !entry || !permit || !isSignature(signature)) {
		return refused("INVALID_INPUT", "no such signature is asked for");
	}
	const signer =
		data.kind === "order"
			? await recoverMessageAddress({ message: { raw: entry.orderId }, signature })
			: await recoverTypedDataAddress({ ...typedDataOf(entry, permit), signature });
	if (signer.toLowerCase() !== entry.user) {
		return refused("INVALID_SIGNATURE", "it is somebody else's");
	}
	permit.handed.push(data.kind);
	if (data.kind === "eip3009") permit.signature = signature;
	const more = data.kind === "eip3009" ? appended(office, entry, permit) : null;
	if (more) return Response.json({ message: "Success", steps: [more] });
	office.begin(use(office.world, entry, permit));
	return Response.json({ message: "Success" });
}

function refused(errorCode: string, message: string): Response {
	return Response.json({ message, errorCode }, { status: 400 });
}

/** A step that is asked for only now; null: there is none. */
function appended({ faults }: PermitOffice, entry: BridgeEntry, permit: BridgePermit) {
	const fault = faults.ofHandOver();
	if (!fault) return null;
	permit.asksForOrder = true;
	const isHonest = fault.kind === "appends_order";
	const step = orderStep(entry, isHonest ? entry.orderId : `0x${"ab".repeat(32)}`);
	if (fault.kind !== "appends_deposit") return step;
	const { from } = permit.authorization;
	const { chain } = entry.origin;
	const data = { from, to: THIEF, data: "0x", value: "1", chainId: chain.id };
	return {
		...{ ...step, id: "deposit", kind: "transaction" },
		items: [{ status: "incomplete", data, check: step.items[0]?.check }],
	};
}

async function use(world: BridgeWorld, entry: BridgeEntry, permit: BridgePermit): Promise<void> {
	const { chain } = entry.origin;
	const { authorization, signature } = permit;
	world.move(entry, "depositing");
	try {
		const args = [authorization, signature ?? "0x", chain.depository, entry.orderId] as const;
		const data = encodeFunctionData({ abi: proxyAbi, functionName: "depositAuthorized", args });
		await sendAsSolver(chain.rpc, { to: chain.approvalProxy, data });
	} catch {
		entry.failReason = "TRANSACTION_NOT_INCLUDED";
		world.move(entry, "failure");
	}
}

/** Makes an honest quote one whose signature would cost its owner money. */
export function lieAboutPermit(quote: any, lie: (typeof PERMIT_LIE_KINDS)[number]): void {
	const [step] = quote.steps;
	const { sign, post } = step.items[0].data;
	switch (lie) {
		case "permit_spender":
			sign.value.to = THIEF;
			return;
		case "permit_amount":
			sign.value.value = String(BigInt(sign.value.value) + 1n);
			return;
		case "permit_owner":
			sign.value.from = THIEF;
			return;
		case "permit_token":
			sign.domain.verifyingContract = THIEF;
			return;
		case "permit_chain":
			sign.domain.chainId = 1;
			return;
		case "permit_forever":
			sign.value.validBefore = FOREVER;
			return;
		case "permit_ended":
			sign.value.validBefore = 1_000_000_000;
			return;
		case "permit_for_anybody":
			// Of the same members, and whoever sees it may use it.
			sign.primaryType = "TransferWithAuthorization";
			sign.types = { TransferWithAuthorization: sign.types.ReceiveWithAuthorization };
			return;
		case "permit_request":
			post.body.requestId = `0x${"ab".repeat(32)}`;
			return;
		case "permit_endpoint":
			post.endpoint = "https://example.com/execute/permits";
			return;
		case "permit_twice":
			quote.steps.push(structuredClone(step));
			return;
		case "permit_recipient":
			quote.protocol.v2.orderData.output.payments[0].recipient = THIEF;
			return;
		case "permit_order":
			quote.protocol.v2.orderId = `0x${"ab".repeat(32)}`;
			return;
	}
}
