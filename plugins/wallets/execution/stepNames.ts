/**
 * Every commit and every outbound call of the path that money leaves by. A call that is not in this
 * list does not compile, and a test kills the process before and after each of them.
 */
export const stepNames = [
	"commit.create",
	"commit.decide",
	"commit.first",
	"commit.resume",
	"commit.begin",
	"commit.outcome",
	"commit.look",
	"commit.found",
	"commit.close",
	"commit.owner",
	"commit.cancel",
	"commit.answer",
	"commit.link",
	"rpc.account",
	"rpc.receipt",
	"rpc.nonce",
	"rpc.rebroadcast",
	"custody.send",
	"custody.lookup",
] as const;

/** Those of an intent that is a signature. */
export const signSteps = ["custody.sign", "commit.sign"] as const;

export type StepName = (typeof stepNames)[number] | (typeof signSteps)[number];
