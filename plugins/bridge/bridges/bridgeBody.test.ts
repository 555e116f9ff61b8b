import { describe, expect, test } from "bun:test";
import {
	mustAsk,
	readBridgeCommand,
	requestOf,
	switchDenial,
} from "#plugins/bridge/bridges/bridgeBody.ts";

describe("bridgeBody", () => {
	const ANNA = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
	const none = { from: null, as: null, recipient: null, refundTo: null, mode: "normal" } as const;

	test("a command is read completely, in its order, with nothing around it", () => {
		expect(readBridgeCommand("bridge 0.5 eth from base to robinhood as USDG")).toEqual({
			...{ ...none, amount: "0.5", currency: "eth", from: "base", to: "robinhood", as: "USDG" },
		});
		const all = `Bridge 1 USDG to base recipient ${ANNA} refund to ${ANNA}`;
		expect(readBridgeCommand(all)).toEqual({
			...{ ...none, amount: "1", currency: "USDG", to: "base", recipient: ANNA, refundTo: ANNA },
		});
		for (const text of [
			"bridge",
			"bridge 0.5 eth",
			"bridge 0.5 eth base to robinhood",
			"bridge 0.5 eth to robinhood please",
			"please bridge 0.5 eth to robinhood",
			"bridge 0.5 eth to robinhood refund to",
			"bridge 0.5 eth to robinhood as USDG from base",
			"bridge all to robinhood",
			"bridge 0.5 eth from base mode direct",
			"bridge 0.5 eth to robinhood mode fast",
			"bridge 0.5 eth mode direct to robinhood",
		]) {
			expect([text, readBridgeCommand(text)]).toEqual([text, null]);
		}
	});

	test("`all` and `mode` can be in the command and in the body", () => {
		const whole = "bridge ALL usdg from robinhood to base mode Direct";
		const parts = { amount: "all", currency: "usdg", from: "robinhood", to: "base" };
		const read = { ...none, ...parts, mode: "direct" } as const;
		expect(readBridgeCommand(whole)).toEqual(read);
		expect(requestOf({ ...parts, amount: "All", mode: "direct" })).toEqual(read);
		expect(readBridgeCommand("bridge 1 eth from base mode degen_2_stable")).toEqual({
			...{ ...none, amount: "1", currency: "eth", from: "base", to: null, mode: "degen_2_stable" },
		});
	});

	test("a body is a command or its parts, never both, and never a part of them", () => {
		const command = "bridge 0.5 eth to base";
		expect(requestOf({ command }).to).toBe("base");
		expect(() => requestOf({ command, amount: "1" })).toThrow("validation_error");
		expect(() => requestOf({ command: "buy 1 AAPL" })).toThrow("validation_error");
		for (const missing of ["amount", "currency", "to"]) {
			const body = { amount: "1", currency: "ETH", to: "base", [missing]: undefined };
			expect(() => requestOf(body)).toThrow("validation_error");
		}
		const stable = requestOf({ amount: "1", currency: "ETH", mode: "degen_2_stable" });
		expect(stable).toMatchObject({ to: null, mode: "degen_2_stable" });
	});
});

describe("channelRules", () => {
	// Guarantee: nothing is bridged by a post unless operators allow that, and no post pays or
	// refunds somebody else without its author's yes.

	const OWN = `0x${"1".repeat(40)}` as const;
	const SECOND = `0x${"2".repeat(40)}` as const;
	const OTHER = `0x${"3".repeat(40)}` as const;

	test("posts bridge only if both switches are on; all other requests need the first", () => {
		const code = (isOn: boolean, isSocialOn: boolean, channel: "social" | "agent") => {
			return switchDenial({ isOn, isSocialOn }, channel)?.code ?? null;
		};
		for (const isSocialOn of [false, true]) {
			expect(code(false, isSocialOn, "agent")).toBe("bridging_disabled");
			expect(code(false, isSocialOn, "social")).toBe("bridging_disabled");
			expect(code(true, isSocialOn, "agent")).toBeNull();
		}
		expect(code(true, false, "social")).toBe("bridging_disabled");
		expect(code(true, true, "social")).toBeNull();
	});

	test("a post that pays or refunds a foreign address needs a confirmation; own wallets do not", () => {
		const wallets = [{ address: OWN }, { address: SECOND }];
		const asks = (
			recipient: typeof OWN | typeof SECOND | typeof OTHER,
			refundTo: typeof OWN | typeof SECOND | typeof OTHER,
			channel: "social" | "agent" = "social",
		) => mustAsk({ asks: false, channel }, { recipient, refundTo }, wallets);
		expect(asks(OWN, OWN)).toBe(false);
		expect(asks(SECOND, OWN)).toBe(false);
		expect(asks(OTHER, OWN)).toBe(true);
		expect(asks(OWN, OTHER)).toBe(true);
		expect(asks(OTHER, OTHER, "agent")).toBe(false);
		const own = { recipient: OWN, refundTo: OWN };
		expect(mustAsk({ asks: true, channel: "agent" }, own, wallets)).toBe(true);
	});
});
