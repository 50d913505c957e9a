"""What is known of PyTorch's functions by name: which move data, which overwrite, which cut the gradient.

In: nothing. Out: sets of function names as `__torch_function__` sees them. Owns no state.
"""

from __future__ import annotations

from torch import Tensor

NO_FLOW = frozenset(
    "zeros_like ones_like empty_like full_like rand_like randn_like randint_like new_zeros new_ones new_empty "
    "new_full new_empty_strided register_hook retain_grad requires_grad_ backward share_memory_ pin_memory".split()
)
"""Functions that take a tensor for its shape, dtype or graph, and pass none of its data on."""

FULL_WRITES = frozenset(
    "copy_ zero_ fill_ normal_ uniform_ random_ exponential_ geometric_ cauchy_ log_normal_ set_ resize_as_".split()
)
"""In-place functions after which nothing of the old value is left."""

CUTS = frozenset("detach detach_ new_tensor".split())
"""Functions whose float results carry no autograd trace."""

IN_PLACE_OPERATORS = frozenset(
    "__setitem__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ "
    "__ixor__ __ilshift__ __irshift__ __imatmul__".split()
)

JOINT = frozenset(
    "linear bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc matmul mm "
    "bmm mv dot addmm addmv addbmm baddbmm addr einsum tensordot outer kron layer_norm batch_norm group_norm "
    "instance_norm rms_norm prelu scaled_dot_product_attention multi_head_attention_forward add sub subtract rsub "
    "mul multiply div divide true_divide pow __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ "
    "__rtruediv__ __rdiv__ __div__ __matmul__ __rmatmul__ __pow__ __rpow__ cat concat concatenate stack hstack "
    "vstack dstack where lerp addcmul addcdiv maximum minimum cdist atan2 cosine_similarity pairwise_distance "
    "lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell mse_loss l1_loss smooth_l1_loss "
    "huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits".split()
)
"""Functions whose result needs a gradient as soon as any of their floating-point arguments does."""

JOINT_IN_PLACE = frozenset(
    "__iadd__ __isub__ __imul__ __itruediv__ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ addmm_ baddbmm_ copy_".split()
)
"""The same in place: functions that change a first argument which needs a gradient by others."""

VIEWS = frozenset(
    "view reshape flatten unflatten transpose permute unsqueeze squeeze movedim swapaxes swapdims chunk split "
    "unbind narrow select t contiguous expand __getitem__".split()
)
"""Functions whose result shows the same elements as their first argument."""

MAY_RETURN_SAME = frozenset(
    "to type type_as float double half bfloat16 cpu cuda dropout dropout1d dropout2d dropout3d alpha_dropout".split()
)
"""Functions that return their first argument itself where nothing is to be done."""


def is_getter(func: object, name: str) -> bool:
    """True where `func` reads this attribute of a tensor (`tensor.data`)."""
    return getattr(func, "__name__", "") == "__get__" and getattr(func, "__self__", None) is getattr(Tensor, name)


def is_setter(func: object, name: str) -> bool:
    """True where `func` sets this attribute of a tensor (`tensor.data = ...`)."""
    return getattr(func, "__name__", "") == "__set__" and getattr(func, "__self__", None) is getattr(Tensor, name)


def is_in_place(name: str) -> bool:
    """True where the function of this name changes its first argument."""
    return name in IN_PLACE_OPERATORS or (name.endswith("_") and not name.endswith("__"))
