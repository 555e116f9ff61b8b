import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/faults/CustodyFault.ts";

const SEND = "^POST /v1/wallets/";
const LIST = "^GET /v1/transactions";

/** What a wallet provider can do and say falsely about one wallet. */
export const providerAnswers: readonly FalseAnswer[] = [
	provider("says that it sent, and sends nothing", claims({ listed: "broadcasted" })),
	provider(
		"says that it sent, sends nothing, and says so for ever",
		claims({ listed: "broadcasted", lasting: true }),
	),
	{
		...provider(
			"says that it sent, sends nothing, and 300 blocks later no node has state of its plan",
			claims({ listed: "broadcasted", lasting: true }),
		),
		blocks: 300,
	},
	provider("sends nothing of the first alone", claims({ listed: "broadcasted", times: 1 })),
	provider(
		"refuses for want of funds, and lists a failure with a hash",
		claims({ status: 400, code: "insufficient_funds", lasting: true }),
	),
	provider(
		"refuses for want of funds, and lists no hash",
		claims({ status: 400, code: "insufficient_funds", hash: "none", lasting: true }),
	),
	provider(
		"cannot broadcast, and lists a failure with a hash",
		claims({ status: 400, code: "transaction_broadcast_failure", lasting: true }),
	),
	provider(
		"refuses the first alone, and lists a failure with a hash",
		claims({ status: 400, code: "insufficient_funds", lasting: true, times: 1 }),
	),
	provider("refuses, and has nothing", {
		path: SEND,
		kind: "status",
		when: "before",
		status: 400,
		code: "policy_violation",
	}),
	provider("answers 500, and sent", { path: SEND, kind: "status", when: "after", status: 500 }),
	provider("answers 500, and did not", { path: SEND, kind: "status", when: "before", status: 500 }),
	provider(
		"answers 500, did not, and lists a provider's error with a hash",
		claims({ status: 500, listed: "provider_error", lasting: true }),
	),
	provider(
		"says that it failed, and sent",
		claims({ status: 400, code: "transaction_broadcast_failure", sends: true }),
	),
	provider(
		"says that funds are missing, and sent",
		claims({ status: 400, code: "insufficient_funds", sends: true }),
	),
	provider(
		"names the hash of the request before",
		claims({ hash: "previous", sends: true, listed: "broadcasted" }),
	),
	provider(
		"names the hash of the request before, and sends nothing",
		claims({ hash: "previous", listed: "broadcasted" }),
	),
	provider(
		"names nobody's hash, and sent",
		claims({ hash: "nobodys", sends: true, listed: "broadcasted" }),
	),
	provider(
		"names nobody's hash, and sends nothing",
		claims({ hash: "nobodys", listed: "broadcasted", lasting: true }),
	),
	provider(
		"answers 500, sent, and lists nothing",
		{ path: LIST, kind: "empty_lookup" },
		{ path: SEND, kind: "status", when: "after", status: 500 },
	),
	provider("lists nothing", { path: LIST, kind: "empty_lookup" }),
	...[2 ** 53, 2 ** 63, 2 ** 64, -1, 1.5, "many"].flatMap((value) => [
		provider(`answers ${value} for everything, and sent`, {
			path: SEND,
			kind: "odd_values",
			value,
		}),
		provider(
			`answers 500, sent, and lists ${value} for everything`,
			{ path: LIST, kind: "odd_values", value },
			{ path: SEND, kind: "status", when: "after", status: 500 },
		),
	]),
];

function claims(order: Partial<CustodyFaultOrder>): CustodyFaultOrder {
	return { path: SEND, kind: "claims", ...order };
}

function provider(name: string, ...faults: CustodyFaultOrder[]): FalseAnswer {
	return { name: `wallet provider: ${name}`, source: "wallet provider", about: "wallet", faults };
}
