// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IBuybackBurner} from "./IBuybackBurner.sol";

interface IBurnable is IERC20 {
	function burn(uint256 amount) external;
}

interface IWrapped is IERC20 {
	function deposit() external payable;
	function withdraw(uint256 amount) external;
}

interface IPoolFactory {
	function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address);
}

/// A router of pools with fixed fees that pulls what it pays with by an allowance.
interface ISwapRouter {
	struct ExactInputSingle {
		address tokenIn;
		address tokenOut;
		uint24 fee;
		address recipient;
		uint256 amountIn;
		uint256 amountOutMinimum;
		uint160 sqrtPriceLimitX96;
	}

	function exactInputSingle(
		ExactInputSingle calldata params
	) external payable returns (uint256 amountOut);

	function factory() external view returns (address);

	function WETH9() external view returns (address);
}

/// Buys the token through one pool and burns it. It keeps nothing between calls and believes no
/// token: everything it counts is a difference of balances, and the burn is the supply's.
contract BuybackBurner is IBuybackBurner, IERC165, Ownable2Step, ReentrancyGuardTransient {
	using SafeERC20 for IERC20;

	IBurnable private immutable bought;
	IWrapped public immutable wrapped;
	ISwapRouter public immutable swapRouter;
	IPoolFactory public immutable factory;
	address public keeper;

	event KeeperSet(address indexed keeper);

	error NotKeeper();
	error Expired();
	error NothingToSpend();
	error NoMinimum();
	error ValueDiffers();
	error NoPool();
	/// The token moved another amount than it was told to.
	error TransferMisreported(address token);
	error TooLittle(uint256 got, uint256 minBurned);
	error NotBurned();

	constructor(address owner_, address token_, address keeper_, address swapRouter_) Ownable(owner_) {
		bought = IBurnable(token_);
		swapRouter = ISwapRouter(swapRouter_);
		factory = IPoolFactory(ISwapRouter(swapRouter_).factory());
		wrapped = IWrapped(ISwapRouter(swapRouter_).WETH9());
		keepKeeper(keeper_);
	}

	/// Only what was wrapped comes back.
	receive() external payable {
		if (msg.sender != address(wrapped)) revert ValueDiffers();
	}

	function owner() public view override(Ownable, IBuybackBurner) returns (address) {
		return super.owner();
	}

	function token() external view returns (address) {
		return address(bought);
	}

	function setKeeper(address keeper_) external onlyOwner {
		keepKeeper(keeper_);
	}

	function buyAndBurn(
		address paidWith,
		uint256 spend,
		uint24 fee,
		uint256 minBurned,
		uint256 deadline
	) external payable nonReentrant returns (uint256 burned) {
		if (msg.sender != keeper) revert NotKeeper();
		if (block.timestamp > deadline) revert Expired();
		// A router takes an amount of 0 for all that it has itself.
		if (spend == 0) revert NothingToSpend();
		if (minBurned == 0) revert NoMinimum();
		if (msg.value != (paidWith == address(0) ? spend : 0)) revert ValueDiffers();
		IERC20 tokenIn = paidWith == address(0) ? IERC20(wrapped) : IERC20(paidWith);
		address pool = factory.getPool(address(tokenIn), address(bought), fee);
		if (pool == address(0)) revert NoPool();
		uint256 had = tokenIn.balanceOf(address(this));
		take(tokenIn, spend);
		if (tokenIn.balanceOf(address(this)) != had + spend) {
			revert TransferMisreported(address(tokenIn));
		}
		burned = buy(tokenIn, spend, fee, minBurned);
		burn(burned);
		uint256 left = tokenIn.balanceOf(address(this)) - had;
		emit BoughtAndBurned(msg.sender, paidWith, spend - left, burned, pool);
		if (left > 0) giveBack(tokenIn, left, paidWith == address(0));
	}

	function supportsInterface(
		bytes4 interfaceId
	) external pure override(IERC165, IBuybackBurner) returns (bool) {
		return
			interfaceId == type(IBuybackBurner).interfaceId ||
			interfaceId == type(IERC165).interfaceId;
	}

	function keepKeeper(address keeper_) private {
		keeper = keeper_;
		emit KeeperSet(keeper_);
	}

	function take(IERC20 tokenIn, uint256 spend) private {
		if (msg.value > 0) wrapped.deposit{value: spend}();
		else tokenIn.safeTransferFrom(msg.sender, address(this), spend);
	}

	/// Returns what really arrived.
	function buy(
		IERC20 tokenIn,
		uint256 spend,
		uint24 fee,
		uint256 minBurned
	) private returns (uint256 got) {
		uint256 had = bought.balanceOf(address(this));
		tokenIn.forceApprove(address(swapRouter), spend);
		swapRouter.exactInputSingle(
			ISwapRouter.ExactInputSingle({
				tokenIn: address(tokenIn),
				tokenOut: address(bought),
				fee: fee,
				recipient: address(this),
				amountIn: spend,
				amountOutMinimum: minBurned,
				sqrtPriceLimitX96: 0
			})
		);
		tokenIn.forceApprove(address(swapRouter), 0);
		got = bought.balanceOf(address(this)) - had;
		if (got < minBurned) revert TooLittle(got, minBurned);
	}

	function burn(uint256 amount) private {
		uint256 supply = bought.totalSupply();
		bought.burn(amount);
		if (bought.totalSupply() + amount != supply) revert NotBurned();
	}

	function giveBack(IERC20 tokenIn, uint256 left, bool isNative) private {
		if (isNative) {
			wrapped.withdraw(left);
			Address.sendValue(payable(msg.sender), left);
		} else {
			tokenIn.safeTransfer(msg.sender, left);
		}
	}
}
