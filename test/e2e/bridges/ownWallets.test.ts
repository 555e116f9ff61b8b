import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { encodeFunctionData, erc20Abi, type Hex, toHex } from "viem";
import { type BridgeLab, openBridgeLab, TETHER, USDG } from "#test/harness/openBridgeLab.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: with an owner's own wallet the service asks, reads hashes and chains, and sends
// nothing; a hash is worth what the chain shows behind it.

const PATH = "/v1/bridges/intents";
const AS = "fay";
const COMMAND = "bridge 0.1 eth from anvil to robinhood as USDG";

let lab: BridgeLab;
let wallet: { id: string; address: Hex; capability: string };

beforeAll(async () => {
	lab = await openBridgeLab();
	wallet = (await lab.enrol(AS)) as typeof wallet;
});
afterAll(() => lab?.stop());
beforeEach(() => lab.bridge.clearFaults());

const ask = (path: string, body?: object) => lab.ask(path, body, { as: AS });
const begin = async (body: object = { command: COMMAND }) => (await ask(PATH, body)).body;
const tell = (id: string, transactionHash: string, to = "step-results") =>
	ask(`${PATH}/${id}/${to}`, { transactionHash });
const show = async (id: string) => (await ask(`${PATH}/${id}`)).body;

type Call = { from: string; to: string; valueRaw: string; data: string };

/** As the owner's wallet sends it, with the hash that it answers. */
async function send(call: Call, on: "market" | "home" = "market"): Promise<Hex> {
	const { rpc, mined } = lab[on];
	const { from, to, valueRaw, data } = call;
	const sent = { from, to, data, value: toHex(BigInt(valueRaw)), gas: toHex(500_000) };
	const hash = await rpc<Hex>("eth_sendTransaction", [sent]);
	await mined();
	return hash;
}

describe("an owner's own wallet", () => {
	test("[BRG-06] the owner signs on a page, the hash counts once the chain shows it, and we send nothing", async () => {
		const handed = lab.custody.transactions().length;
		expect(wallet.capability).toBe("external/manual");
		const asked = await begin();
		expect(asked).toMatchObject({
			...{ status: "signature_required", from: wallet.address, depositHash: null },
			steps: [{ kind: "deposit", status: "signature_required", chainId: 31_337 }],
		});
		const token = asked.signUrl.split("/").at(-1);
		const { body: page } = await lab.ask(`/v1/links/${token}`, undefined, { as: null });
		const [step] = asked.steps;
		expect(page.request).toMatchObject({
			...{ from: wallet.address, to: step.to, data: step.data, chainId: toHex(31_337) },
		});
		const hash = await send(step);
		const told = await tell(asked.id, hash);
		expect(told).toMatchObject({ status: 200, body: { depositHash: hash } });
		const done = await lab.reached(asked.id, ["success"], AS);
		expect(done.arrived).toMatchObject({ verified: true, chainId: 4_663 });
		expect((await tell(asked.id, hash, "sdk-result")).status).toBe(200);
		expect(lab.custody.transactions()).toHaveLength(handed);
	});

	test("answers on the signing page as well", async () => {
		const asked = await begin();
		const token = asked.signUrl.split("/").at(-1);
		const transactionHash = await send(asked.steps[0]);
		const answered = await lab.ask(`/v1/links/${token}`, { transactionHash }, { as: null });
		expect(answered.status).toBe(200);
		await lab.reached(asked.id, ["success"], AS);
	});

	test("[BRG-06] signs an allowance first, then the deposit, and need not wait between them", async () => {
		const data = encodeFunctionData({
			...{ abi: dollarAbi, functionName: "mint" as const },
			args: [wallet.address, 100_000_000n],
		});
		await send({ from: wallet.address, to: USDG, valueRaw: "0", data }, "home");
		const back = { amount: "50", currency: "USDG", from: "robinhood", to: "anvil", as: "ETH" };
		const asked = await begin(back);
		const [approve, deposit] = asked.steps;
		expect(asked).toMatchObject({
			...{ status: "signature_required", errorCode: null },
			steps: [
				{ kind: "approve", status: "signature_required" },
				{ kind: "deposit", status: "waiting" },
			],
		});
		await lab.home.rpc("evm_setAutomine", [false]);
		const sent = {
			...{ from: approve.from, to: approve.to, data: approve.data, gas: toHex(500_000) },
		};
		const allowed = await lab.home.rpc<Hex>("eth_sendTransaction", [sent]);
		expect((await tell(asked.id, allowed)).status).toBe(200);
		const early = await lab.home.rpc<Hex>("eth_sendTransaction", [
			{ from: deposit.from, to: deposit.to, data: deposit.data, gas: toHex(500_000) },
		]);
		const told = await tell(asked.id, early);
		expect(told).toMatchObject({ status: 200, body: { depositHash: early, signUrl: null } });
		await lab.home.rpc("evm_setAutomine", [true]);
		await lab.home.rpc("evm_mine", []);
		const done = await lab.reached(asked.id, ["success"], AS);
		expect(done).toMatchObject({ depositHash: early, arrived: { chainId: 31_337 } });
		expect(done.steps).toMatchObject([{ transactionHash: allowed }, { transactionHash: early }]);
	});

	test("takes back what is left of an older allowance first, where the token wants that", async () => {
		const approve = (spender: Hex, raw: bigint) =>
			encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, raw] });
		const mint = { abi: dollarAbi, functionName: "mint" } as const;
		const minted = encodeFunctionData({ ...mint, args: [wallet.address, 100_000_000n] });
		const own = { from: wallet.address, to: TETHER, valueRaw: "0" };
		await send({ ...own, data: minted }, "home");
		const depository = lab.bridge.chains.find(({ id }) => id === 4_663)?.depository ?? "0x";
		await send({ ...own, data: approve(depository, 7n) }, "home");
		const back = { amount: "50", currency: "TUSD", from: "robinhood", to: "anvil", as: "ETH" };
		const asked = await begin(back);
		expect(asked.steps).toMatchObject([
			{ kind: "approve", data: approve(depository, 0n), status: "signature_required" },
			{ kind: "approve", data: approve(depository, 50_000_000n), status: "waiting" },
			{ kind: "deposit", status: "waiting" },
		]);
		for (const place of [0, 1, 2]) {
			const { steps } = await lab.until(
				asked.id,
				(one) => one.steps[place]?.status === "signature_required",
				{ as: AS },
			);
			expect((await tell(asked.id, await send(steps[place], "home"))).status).toBe(200);
		}
		const done = await lab.reached(asked.id, ["success"], AS);
		expect(done.steps.map(({ status }: any) => status)).toEqual(Array(3).fill("confirmed"));
	});

	test("a signature that is never reported is found by the provider and by the chain", async () => {
		const asked = await begin();
		const hash = await send(asked.steps[0]);
		await lab.bridge.idle();
		const due = "update bridge.bridge set look_at = now(), hinted_at = null where id = $1";
		await lab.service.core.db.execute(due, [asked.id]);
		const done = await lab.reached(asked.id, ["success"], AS);
		expect(done.depositHash).toBe(hash);
	});

	test("a deposit that is signed after the question expired is followed, because its money left", async () => {
		const asked = await begin();
		const { db } = lab.service.core;
		await db.execute("update wallets.intent set expires_at = now() where id = $1", [
			asked.intentId,
		]);
		const failed = await lab.reached(asked.id, ["failure"], AS);
		expect(failed).toMatchObject({ errorCode: "quote_expired", depositHash: null });
		const hash = await send(asked.steps[0]);
		expect((await tell(asked.id, hash)).status).toBe(200);
		const done = await lab.reached(asked.id, ["success"], AS);
		expect(done.depositHash).toBe(hash);
	});

	test("an owner is not asked after the quote has expired", async () => {
		const asked = await begin();
		const [row] = await lab.service.core.db.query<{ at: Date }>(
			"select expires_at as at from wallets.intent where id = $1",
			[asked.intentId],
		);
		expect(row?.at.getTime()).toBeLessThan(Date.parse(asked.quote.expiresAt));
	});
});

describe("a hash that is none of the bridge's", () => {
	const unchanged = ({ changedAt: _, signUrl: __, ...rest }: any) => rest;

	test("a foreign hash is refused with a code, and changes nothing", async () => {
		const asked = await begin();
		const before = unchanged(await show(asked.id));
		const [step] = asked.steps;
		const others = {
			"another sender's": await send({ ...step, from: (await lab.enrol("ada")).address }).catch(
				() => null,
			),
			"another value": await send({ ...step, valueRaw: "1" }),
			"other calldata": await send({
				...step,
				data: `${step.data.slice(0, -64)}${"ab".repeat(32)}`,
			}),
			"another contract's": await send({ ...step, to: `0x${"77".repeat(20)}` }),
		};
		for (const [what, hash] of Object.entries(others)) {
			if (hash === null) continue;
			for (const to of ["step-results", "sdk-result"]) {
				const { status, body } = await tell(asked.id, hash, to);
				expect([what, status, body.code]).toEqual([what, 409, "step_result_foreign"]);
			}
		}
		const nobodys = await tell(asked.id, `0x${"0c".repeat(32)}`);
		expect(nobodys).toMatchObject({ status: 409, body: { code: "step_result_unseen" } });
		expect(unchanged(await show(asked.id))).toEqual(before);
	});

	test("a hash is refused even if it is the right call on another chain", async () => {
		const asked = await begin();
		const [step] = asked.steps;
		const hash = await send(step, "home");
		const { body } = await tell(asked.id, hash);
		expect(body.code).toBe("step_result_unseen");
		expect((await show(asked.id)).status).toBe("signature_required");
	});

	test("a hash that belongs to another bridge of the same owner is not accepted again", async () => {
		const [one, other] = [await begin(), await begin()];
		const hash = await send(one.steps[0]);
		expect((await tell(one.id, hash)).status).toBe(200);
		expect((await tell(other.id, hash)).body.code).toBe("step_result_foreign");
		await lab.reached(one.id, ["success"], AS);
		expect((await show(other.id)).status).toBe("signature_required");
	});
});

describe("a requote", () => {
	test("a requote before any signature asks again, and the earlier page no longer works", async () => {
		const asked = await begin();
		const renewed = await ask(`${PATH}/${asked.id}/requote`, {});
		expect(renewed).toMatchObject({ status: 200, body: { status: "signature_required" } });
		expect(renewed.body.quote.orderId).not.toBe(asked.quote.orderId);
		const token = asked.signUrl.split("/").at(-1);
		expect((await lab.ask(`/v1/links/${token}`, undefined, { as: null })).status).toBe(404);
		const hash = await send(renewed.body.steps[0]);
		expect((await tell(asked.id, hash)).status).toBe(200);
		await lab.reached(asked.id, ["success"], AS);
	});

	test("a requote after a step was signed is refused", async () => {
		const asked = await begin();
		await tell(asked.id, await send(asked.steps[0]));
		const refused = await ask(`${PATH}/${asked.id}/requote`, {});
		expect(refused).toMatchObject({ status: 409, body: { code: "requote_after_submission" } });
	});
});

test("refuses a route that needs a signature", async () => {
	lab.bridge.fault({ kind: "signature_step", times: 1 });
	const refused = await begin();
	expect(refused).toMatchObject({
		...{ status: "rejected", errorCode: "signature_steps_unsupported", intentId: null },
	});
});

const listed = async () => (await ask(PATH)).body.data as any[];
const seconds = async (of: string) => (await listed()).filter(({ depositOf }) => depositOf === of);

describe("a second deposit of the owner's own wallet", () => {
	test("a second deposit of the owner's wallet is followed to an end of its own", async () => {
		const asked = await begin();
		const [first, second] = [await send(asked.steps[0]), await send(asked.steps[0])];
		expect((await tell(asked.id, first)).status).toBe(200);
		await lab.reached(asked.id, ["success", "refund"], AS);
		expect((await tell(asked.id, second)).status).toBe(200);
		expect((await tell(asked.id, second)).status).toBe(200);
		const [more, ...others] = await seconds(asked.id);
		expect([others, more.depositHash]).toEqual([[], second]);
		const done = await lab.reached(more.id, ["success", "refund"], AS);
		const both = [done, await show(asked.id)];
		expect(both.map(({ status }) => status).sort()).toEqual(["refund", "success"]);
		expect(both.every(({ arrived }) => arrived.verified)).toBe(true);
		expect(new Set(both.map(({ arrived }) => arrived.transactionHash)).size).toBe(2);
		const { body: told } = await ask(`${PATH}/${more.id}/moves`);
		expect(told.moves[0]).toMatchObject({ event: "deposit", depositHash: second });
	});

	test("a second deposit is found by the provider and by the chain if nobody reports it", async () => {
		const asked = await begin();
		const [first, second] = [await send(asked.steps[0]), await send(asked.steps[0])];
		expect((await tell(asked.id, first)).status).toBe(200);
		await lab.bridge.idle();
		await lab.until(asked.id, () => true, { as: AS });
		await lab.reached(asked.id, ["success", "refund"], AS);
		const found = await seconds(asked.id);
		expect(found.map(({ depositHash }) => depositHash)).toEqual([second]);
		await lab.reached(found[0].id, ["success", "refund"], AS);
	});

	test("of an older quote is followed as well", async () => {
		const asked = await begin();
		const renewed = await ask(`${PATH}/${asked.id}/requote`, {});
		const [old, fresh] = [await send(asked.steps[0]), await send(renewed.body.steps[0])];
		for (const hash of [old, fresh]) expect((await tell(asked.id, hash)).status).toBe(200);
		await lab.reached(asked.id, ["success"], AS);
		const [more] = await seconds(asked.id);
		expect(more.depositHash).toBe(old);
		await lab.reached(more.id, ["success"], AS);
	});

	test("of an older quote that nobody tells of is found by the node of its wallet", async () => {
		const asked = await begin();
		await ask(`${PATH}/${asked.id}/requote`, {});
		const old = await send(asked.steps[0]);
		await lab.service.core.db.execute(
			"update wallets.submission set look_at = now() where intent_id = $1",
			[asked.intentId],
		);
		await lab.until(asked.id, () => true, { as: AS });
		await lab.look(asked.id);
		const [more] = await seconds(asked.id);
		expect(more.depositHash).toBe(old);
		await lab.reached(more.id, ["success"], AS);
	});

	test("a transaction that only replaces the first deposit at a better price is no second one", async () => {
		const asked = await begin();
		const [step] = asked.steps;
		await lab.market.rpc("evm_setAutomine", [false]);
		const call = {
			from: step.from,
			to: step.to,
			data: step.data,
			value: toHex(BigInt(step.valueRaw)),
		};
		const nonce = await lab.market.rpc("eth_getTransactionCount", [step.from, "latest"]);
		const sendAt = (gasPrice: bigint) =>
			lab.market.rpc<Hex>("eth_sendTransaction", [
				{ ...call, nonce, gas: toHex(500_000), gasPrice: toHex(gasPrice) },
			]);
		const slow = await sendAt(10n ** 10n);
		expect((await tell(asked.id, slow)).status).toBe(200);
		const fast = await sendAt(10n ** 11n);
		await lab.market.rpc("evm_setAutomine", [true]);
		await lab.market.rpc("evm_mine", []);
		expect((await tell(asked.id, fast)).status).toBe(200);
		expect(await seconds(asked.id)).toEqual([]);
	});
});

describe("a bridge that is called off", () => {
	const cancel = (id: string) => ask(`${PATH}/${id}/cancel`, {});

	test("ends, its page no longer works, and what is signed all the same is followed", async () => {
		const asked = await begin();
		const called = await cancel(asked.id);
		expect(called).toMatchObject({
			status: 200,
			body: { status: "rejected", errorCode: "cancelled" },
		});
		expect(called.body.where).toContain("unless you signed it all the same");
		const token = asked.signUrl.split("/").at(-1);
		expect((await lab.ask(`/v1/links/${token}`, undefined, { as: null })).status).toBe(404);
		expect((await cancel(asked.id)).body.code).toBe("bridge_state");
		const hash = await send(asked.steps[0]);
		await lab.bridge.idle();
		await lab.service.core.db.execute(
			"update bridge.bridge set look_at = now(), hinted_at = null where id = $1",
			[asked.id],
		);
		await lab.look(asked.id);
		const [more] = await seconds(asked.id);
		expect(more.depositHash).toBe(hash);
		expect((await lab.reached(more.id, ["success"], AS)).arrived.verified).toBe(true);
		expect((await show(asked.id)).status).toBe("rejected");
	});

	test("behind an allowance that was sent ends as a failure whose allowance can be taken back", async () => {
		const mint = { abi: dollarAbi, functionName: "mint" } as const;
		const minted = encodeFunctionData({ ...mint, args: [wallet.address, 100_000_000n] });
		const own = { from: wallet.address, to: USDG, valueRaw: "0" };
		await send({ ...own, data: minted }, "home");
		const asked = await begin({ command: "bridge 50 usdg from robinhood to anvil as eth" });
		expect((await tell(asked.id, await send(asked.steps[0], "home"))).status).toBe(200);
		await lab.until(asked.id, ({ steps }) => steps[1].status === "signature_required", { as: AS });
		const called = await cancel(asked.id);
		expect(called.body).toMatchObject({
			status: "failure",
			errorCode: "cancelled",
			revocable: true,
		});
	});

	/**
	 * A bridge of a token whose allowance was sent and told of, and waits for a block, as does a
	 * deposit that nobody told of.
	 */
	async function allowed() {
		const mint = { abi: dollarAbi, functionName: "mint" } as const;
		const minted = encodeFunctionData({ ...mint, args: [wallet.address, 100_000_000n] });
		const own = { from: wallet.address, to: USDG, valueRaw: "0" };
		await send({ ...own, data: minted }, "home");
		const depository = lab.bridge.chains.find(({ id }) => id === 4_663)?.depository ?? "0x";
		const none = { abi: erc20Abi, functionName: "approve", args: [depository, 0n] } as const;
		await send({ ...own, data: encodeFunctionData(none) }, "home");
		const asked = await begin({ command: "bridge 50 usdg from robinhood to anvil as eth" });
		await lab.home.rpc("evm_setAutomine", [false]);
		const [approve, deposit] = asked.steps.map(({ from, to, data }: Call) => {
			return { from, to, data, gas: toHex(500_000) };
		});
		const hash = await lab.home.rpc<Hex>("eth_sendTransaction", [approve]);
		expect((await tell(asked.id, hash)).body.status).toBe("executing");
		return { id: asked.id, early: await lab.home.rpc<Hex>("eth_sendTransaction", [deposit]) };
	}
	const mine = async () => {
		await lab.home.rpc("evm_setAutomine", [true]);
		await lab.home.rpc("evm_mine", []);
	};
	afterEach(mine);

	test("while a deposit that nobody told of waits for a block has it followed all the same", async () => {
		const { id, early } = await allowed();
		const called = await cancel(id);
		await mine();
		expect(called.body).toMatchObject({ status: "failure", errorCode: "cancelled" });
		expect(called.body.where).toContain("unless you signed it all the same");
		await lab.bridge.idle();
		const due = "update bridge.bridge set look_at = now(), hinted_at = null where id = $1";
		await lab.service.core.db.execute(due, [id]);
		await lab.look(id);
		const [more] = await seconds(id);
		expect(more.depositHash).toBe(early);
		expect((await lab.reached(more.id, ["success"], AS)).arrived.verified).toBe(true);
	});

	test("is refused where a deposit that nobody told of is in a block, and that is followed", async () => {
		const { id, early } = await allowed();
		await mine();
		await lab.bridge.idle();
		expect(await cancel(id)).toMatchObject({ status: 409, body: { code: "bridge_state" } });
		expect((await lab.reached(id, ["success"], AS)).depositHash).toBe(early);
	});

	test("goes on where the node of its wallet shows the deposit, and the provider does not", async () => {
		const asked = await begin();
		expect((await cancel(asked.id)).body.status).toBe("rejected");
		lab.bridge.fault({ kind: "unseen" });
		const hash = await send(asked.steps[0]);
		await lab.service.core.db.execute(
			"update wallets.submission set look_at = now() where intent_id = $1",
			[asked.intentId],
		);
		await lab.reached(asked.id, ["pending"], AS);
		lab.bridge.clearFaults();
		const done = await lab.reached(asked.id, ["success"], AS);
		expect([done.depositHash, await seconds(asked.id)]).toEqual([hash, []]);
	});

	test("after its deposit was signed is not called off", async () => {
		const asked = await begin();
		await tell(asked.id, await send(asked.steps[0]));
		expect(await cancel(asked.id)).toMatchObject({ status: 409, body: { code: "bridge_state" } });
		await lab.reached(asked.id, ["success"], AS);
	});
});
