import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { orderIdOf, orderSignerOf, relayOrder } from "#plugins/bridge/relay/order.ts";
import { leavesOf, mutantsOf } from "#test/harness/mutantsOf.ts";

// Orders of two quotes that the provider gave in 2026, with the ids that it gave them: whoever
// computes another id deposits for an order that nobody has.

const ROUTER = `0x${"b92fe925dc43a0ecde6c8b1a2709c170ec4fff4f".padStart(64, "0")}`;
const SOLVER = "0xf70da97812cb96acdf810712aa562db8dfa3dbef";

function orderOf(given: {
	user: string;
	salt: string;
	amount: string;
	deadline: number;
	output: { currency: string; minimumAmount: string; expectedAmount: string };
}) {
	const { user, salt, amount, deadline, output } = given;
	const refundOn = (chainId: string) => ({
		...{ chainId, recipient: user, currency: ZERO_ADDRESS, minimumAmount: "0", deadline },
		extraData: ROUTER,
	});
	return {
		...{ version: "v1", solverChainId: "base", solver: SOLVER, salt },
		inputs: [
			{
				payment: { chainId: "base", currency: ZERO_ADDRESS, amount, weight: "1" },
				refunds: [refundOn("base"), refundOn("robinhood")],
			},
		],
		output: {
			...{ chainId: "robinhood", payments: [{ recipient: user, ...output }], calls: [] },
			...{ deadline, extraData: ROUTER },
		},
		fees: [],
	};
}

const coin = orderOf({
	user: "0x03508bb71268bba25ecacc8f620e01866650532c",
	salt: "0x63f4beb696db6675f6a0678edb29aa8e209fef9137317c5f73a2f8d3819f2e22",
	amount: "10000000000000000",
	deadline: 1_790_141_517,
	output: {
		currency: ZERO_ADDRESS,
		minimumAmount: "9937731200534577",
		expectedAmount: "9987669548275956",
	},
});
const token = orderOf({
	user: "0xc4F87C3715374445C4657aa14c47CBB339b59d1A",
	salt: "0x6203e5358b43d1cf60a73b6dc3e0519a765a5a9dfa562091ebe3bfd9496d8cc1",
	amount: "874803905765355",
	deadline: 1_791_639_433,
	output: {
		currency: "0x0379e228f6887c6f18bf394042ecaf81b308cb2e",
		minimumAmount: "4401605382885926480310",
		expectedAmount: "4446066043319117656878",
	},
});
const COIN_ID = "0x821340c60739e51c1b86f8bd0b1a106b70be74cc79a7d38a69e859dd7f37c4b0";
const TOKEN_ID = "0xeada616bb1b545930e24ee16b7cc9377ea7078d419f1a3b2f4528cee82224e11";
const TOKEN_SIGNATURE =
	"0x16ed51d1a2a76c56667a23f060a5d6eb802e2611ba67578d4589f82ce3af5a6b63789298331268806c95ded8d384d84fe0866c499f1d318fd8971883ec35ad491c";

test("the hash of the provider's order equals the id that the provider gave it", () => {
	expect(orderIdOf(relayOrder.parse(coin))).toBe(COIN_ID);
	expect(orderIdOf(relayOrder.parse(token))).toBe(TOKEN_ID);
});

test("the solver signed the bytes of the order's id", async () => {
	expect(await orderSignerOf(TOKEN_ID, TOKEN_SIGNATURE)).toBe(SOLVER);
	expect(await orderSignerOf(COIN_ID, TOKEN_SIGNATURE)).not.toBe(SOLVER);
	expect(await orderSignerOf(TOKEN_ID, "0x12")).toBeNull();
});

test("a change of any member of an order changes its id", () => {
	let tried = 0;
	for (const { path, how, value } of mutantsOf(coin)) {
		const { data } = relayOrder.safeParse(value);
		if (!data || Bun.deepEquals(data, relayOrder.parse(coin))) continue;
		tried++;
		expect([path, how, orderIdOf(data) === COIN_ID]).toEqual([path, how, false]);
	}
	expect(tried).toBeGreaterThan(60);
	expect(leavesOf(coin).size).toBeGreaterThan(20);
});
