// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IRevenueRouter} from "./IRevenueRouter.sol";

/// Splits revenue and keeps it until it is asked for.
///
/// No deposit is divided by itself, or rounding would starve small shares: what a division leaves is
/// carried by bucket and currency, over all sources and splits. So nobody gains or loses by how
/// deposits are named or cut: a bucket is never a whole unit ahead of its exact share of all that
/// ever came in, and never two behind.
contract RevenueRouter is IRevenueRouter, IERC165, Ownable2Step, ReentrancyGuardTransient {
	using SafeERC20 for IERC20;

	uint256 private constant WHOLE = 10_000;
	uint256 private constant BUCKETS = 4;
	bytes32 private constant DEFAULT_SOURCE = 0;
	address private constant NATIVE = address(0);

	/// Every split that ever was; a source that has no own one (0) follows the default's.
	uint16[4][] private splits;
	mapping(bytes32 source => uint256) private ownSplit;
	/// What each bucket is short of its exact share, in ten thousandths of a unit; negative: ahead.
	/// The four add up to zero.
	mapping(address currency => int64[4]) private carriedIn;
	mapping(address currency => uint256[4]) private earnedIn;
	mapping(address currency => uint256[4]) private paidIn;
	address[4] private payees;

	error SplitSum();
	error PayeeIsRouter();
	error PayeeIsNobody();
	error NothingReceived();
	/// The token moved another amount than it was told to.
	error TransferMisreported(address token);

	constructor(address owner_, address[4] memory payees_) Ownable(owner_) {
		// Number 0 means that a source has no split of its own.
		splits.push();
		keepSplit(DEFAULT_SOURCE, [uint16(3_500), 1_500, 2_000, 3_000]);
		for (uint8 bucket = 0; bucket < BUCKETS; bucket++) keepPayee(bucket, payees_[bucket]);
	}

	function owner() public view override(Ownable, IRevenueRouter) returns (address) {
		return super.owner();
	}

	function splitOf(bytes32 source) external view returns (uint16[4] memory) {
		return splits[splitNumberOf(source)];
	}

	function payeeOf(uint8 bucket) external view returns (address) {
		return payees[bucket];
	}

	function owed(uint8 bucket, address currency) public view returns (uint256) {
		return earnedIn[currency][bucket] - paidIn[currency][bucket];
	}

	function earned(uint8 bucket, address currency) external view returns (uint256) {
		return earnedIn[currency][bucket];
	}

	function setSplit(bytes32 source, uint16[4] calldata bps) external onlyOwner {
		keepSplit(source, bps);
	}

	function setPayee(uint8 bucket, address payee) external onlyOwner {
		keepPayee(bucket, payee);
	}

	function deposit(bytes32 source) external payable {
		count(source, NATIVE, msg.value);
	}

	receive() external payable {
		count(DEFAULT_SOURCE, NATIVE, msg.value);
	}

	function depositToken(
		bytes32 source,
		address token,
		uint256 amount
	) external nonReentrant {
		uint256 before = IERC20(token).balanceOf(address(this));
		IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
		count(source, token, IERC20(token).balanceOf(address(this)) - before);
	}

	/// Counts what was sent here without a deposit (a plain transfer of a token) as revenue of the
	/// default source. Anybody may call it.
	function countTransferred(address currency) external nonReentrant {
		uint256 held = currency == NATIVE
			? address(this).balance
			: IERC20(currency).balanceOf(address(this));
		for (uint8 bucket = 0; bucket < BUCKETS; bucket++) held -= owed(bucket, currency);
		count(DEFAULT_SOURCE, currency, held);
	}

	function release(
		uint8 bucket,
		address currency
	) external nonReentrant returns (uint256 paid) {
		paid = owed(bucket, currency);
		if (paid == 0) return 0;
		paidIn[currency][bucket] += paid;
		address payee = payees[bucket];
		emit Paid(bucket, currency, payee, paid);
		if (currency == NATIVE) Address.sendValue(payable(payee), paid);
		else pay(currency, payee, paid);
	}

	function supportsInterface(
		bytes4 interfaceId
	) external pure override(IERC165, IRevenueRouter) returns (bool) {
		return
			interfaceId == type(IRevenueRouter).interfaceId ||
			interfaceId == type(IERC165).interfaceId;
	}

	function keepSplit(bytes32 source, uint16[4] memory bps) private {
		if (uint256(bps[0]) + bps[1] + bps[2] + bps[3] != WHOLE) revert SplitSum();
		ownSplit[source] = splits.length;
		splits.push(bps);
		emit SplitSet(source, bps[0], bps[1], bps[2], bps[3]);
	}

	function keepPayee(uint8 bucket, address payee) private {
		if (payee == address(0)) revert PayeeIsNobody();
		if (payee == address(this)) revert PayeeIsRouter();
		payees[bucket] = payee;
		emit PayeeSet(bucket, payee);
	}

	function splitNumberOf(bytes32 source) private view returns (uint256) {
		uint256 own = ownSplit[source];
		return own == 0 ? ownSplit[DEFAULT_SOURCE] : own;
	}

	function count(bytes32 source, address currency, uint256 amount) private {
		if (amount == 0) revert NothingReceived();
		uint16[4] memory bps = splits[splitNumberOf(source)];
		int64[4] memory carried = carriedIn[currency];
		uint256[4] memory more = shareOut(amount, bps, carried);
		carriedIn[currency] = carried;
		uint256[4] storage earning = earnedIn[currency];
		for (uint256 bucket = 0; bucket < BUCKETS; bucket++) {
			if (more[bucket] > 0) earning[bucket] += more[bucket];
		}
		emit RevenueReceived(source, currency, msg.sender, amount);
	}

	/// Each bucket gets the whole units of its share, and each unit that is left goes to whoever is
	/// short of most, the first of equals. Changes `carried` by what each is short of after it. The
	/// short ones together are short of what is left, so nobody gets a unit who is not short.
	function shareOut(
		uint256 amount,
		uint16[4] memory bps,
		int64[4] memory carried
	) private pure returns (uint256[4] memory more) {
		uint256 left = amount;
		for (uint256 bucket = 0; bucket < BUCKETS; bucket++) {
			uint256 parts = amount * bps[bucket];
			more[bucket] = parts / WHOLE;
			carried[bucket] += int64(uint64(parts % WHOLE));
			left -= more[bucket];
		}
		for (; left > 0; left--) {
			uint256 most = 0;
			for (uint256 bucket = 1; bucket < BUCKETS; bucket++) {
				if (carried[bucket] > carried[most]) most = bucket;
			}
			more[most]++;
			carried[most] -= int64(uint64(WHOLE));
		}
	}

	/// A token that takes more from here than it pays would pay one bucket with another's money; one
	/// that takes less has not paid.
	function pay(address token, address payee, uint256 amount) private {
		uint256 before = IERC20(token).balanceOf(address(this));
		IERC20(token).safeTransfer(payee, amount);
		uint256 left = IERC20(token).balanceOf(address(this));
		if (left + amount != before) revert TransferMisreported(token);
	}
}
