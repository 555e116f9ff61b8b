// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

struct SendParam {
	uint32 dstEid;
	bytes32 to;
	uint256 amountLD;
	uint256 minAmountLD;
	bytes extraOptions;
	bytes composeMsg;
	bytes oftCmd;
}

struct MessagingFee {
	uint256 nativeFee;
	uint256 lzTokenFee;
}

struct MessagingReceipt {
	bytes32 guid;
	uint64 nonce;
	MessagingFee fee;
}

struct OFTLimit {
	uint256 minAmountLD;
	uint256 maxAmountLD;
}

struct OFTFeeDetail {
	int256 feeAmountLD;
	string description;
}

struct OFTReceipt {
	uint256 amountSentLD;
	uint256 amountReceivedLD;
}

/// A token that crosses chains by messages, with the entry points and events of LayerZero's OFT: of a token of its own, or of another one that it holds (`inner`). What LayerZero's endpoint and executor do between two chains, the sandbox's solver does.
contract SandboxOft is ERC20 {
	using SafeERC20 for IERC20;

	event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD);
	event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD);
	/// What has to be carried to the other chain.
	event PacketSent(bytes32 guid, uint32 srcEid, bytes32 sender, bytes32 receiver, bytes32 to, uint64 amountSD);

	address public constant executor = 0x503D9f6d700f5500e1e9EB4f1d27F8724Ee91a6d;
	uint32 public immutable eid;
	IERC20 public immutable inner;
	uint8 public constant sharedDecimals = 4;
	uint256 private constant RATE = 100;

	mapping(uint32 eid => bytes32) public peers;
	mapping(bytes32 guid => bool) public received;
	uint256 public nativeFee = 0.0001 ether;
	uint64 private sent;

	constructor(uint32 eid_, IERC20 inner_) ERC20("Global Dollar", "USDG") {
		eid = eid_;
		inner = inner_;
	}

	function decimals() public pure override returns (uint8) {
		return 6;
	}

	function setPeer(uint32 eid_, bytes32 peer) external {
		peers[eid_] = peer;
	}

	function setFee(uint256 fee) external {
		nativeFee = fee;
	}

	function token() public view returns (address) {
		return approvalRequired() ? address(inner) : address(this);
	}

	function approvalRequired() public view returns (bool) {
		return address(inner) != address(0);
	}

	function quoteOFT(
		SendParam calldata it
	) external pure returns (OFTLimit memory limit, OFTFeeDetail[] memory details, OFTReceipt memory receipt) {
		limit = OFTLimit(0, type(uint64).max);
		details = new OFTFeeDetail[](0);
		receipt = OFTReceipt(withoutDust(it.amountLD), withoutDust(it.amountLD));
	}

	function quoteSend(SendParam calldata it, bool payInLzToken) external view returns (MessagingFee memory) {
		require(!payInLzToken && peers[it.dstEid] != 0, "no peer");
		return MessagingFee(nativeFee, 0);
	}

	function send(
		SendParam calldata it,
		MessagingFee calldata fee,
		address refundAddress
	) external payable returns (MessagingReceipt memory, OFTReceipt memory) {
		bytes32 peer = peers[it.dstEid];
		require(peer != 0, "no peer");
		require(msg.value == fee.nativeFee && msg.value >= nativeFee, "not enough for the message");
		uint256 amount = withoutDust(it.amountLD);
		require(amount >= it.minAmountLD, "less than the minimum");
		if (approvalRequired()) inner.safeTransferFrom(msg.sender, address(this), amount);
		else _burn(msg.sender, amount);
		bytes32 guid = keccak256(abi.encode(++sent, eid, address(this), it.dstEid, peer));
		emit OFTSent(guid, it.dstEid, msg.sender, amount, amount);
		emit PacketSent(guid, eid, bytes32(uint256(uint160(address(this)))), peer, it.to, uint64(amount / RATE));
		if (msg.value > nativeFee) {
			(bool done, ) = refundAddress.call{value: msg.value - nativeFee}("");
			require(done, "not taken");
		}
		return (MessagingReceipt(guid, sent, MessagingFee(nativeFee, 0)), OFTReceipt(amount, amount));
	}

	/// As the endpoint has it: once for each message, and from the peer alone.
	function lzReceive(uint32 srcEid, bytes32 sender, bytes32 guid, bytes32 to, uint64 amountSD) external {
		require(msg.sender == executor, "not the executor");
		require(sender != 0 && peers[srcEid] == sender, "not the peer");
		require(!received[guid], "received already");
		received[guid] = true;
		uint256 amount = uint256(amountSD) * RATE;
		address whom = address(uint160(uint256(to)));
		if (approvalRequired()) inner.safeTransfer(whom, amount);
		else _mint(whom, amount);
		emit OFTReceived(guid, srcEid, whom, amount);
	}

	function withoutDust(uint256 amount) private pure returns (uint256) {
		return amount - (amount % RATE);
	}
}
