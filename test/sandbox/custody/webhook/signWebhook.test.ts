import { expect, test } from "bun:test";
import { signWebhook } from "./signWebhook.ts";

test("signs as Svix's documentation shows", () => {
	const headers = signWebhook("whsec_plJ3nmyCDGBKInavdOK15jsl", {
		id: "msg_loFOjxBNrRLzqYUf",
		nowMs: 1_731_705_121_999,
		body: '{"event_type":"ping","data":{"success":true}}',
	});
	expect(headers).toEqual({
		"svix-id": "msg_loFOjxBNrRLzqYUf",
		"svix-timestamp": "1731705121",
		"svix-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
	});
});
