# tests/bench/unseen/models.py - a training step of models that no public trace
# is of
#
# Each function makes (module, inputs, loss of the output).  Sizes are those of
# the published models where a step takes seconds on a processor; depth is cut,
# since a layer more has the same cases.  SEEN chose which ops were written,
# UNSEEN was recorded at the same time and looked at by its sums only.
import torch
from torch import nn

SEEN, UNSEEN = {}, {}


def seen(make):
    SEEN[make.__name__] = make


def unseen(make):
    UNSEEN[make.__name__] = make


def floats(value):
    """All floating tensors of an output."""
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() and \
            value.requires_grad else []
    if hasattr(value, "to_tuple"):
        value = value.to_tuple()
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in floats(v)]
    return []


def mean_of_all(out):
    loss = getattr(out, "loss", None)
    return loss if loss is not None else sum(t.mean() for t in floats(out))


def sum_of_losses(out):
    return sum(out.values())


def cross_entropy(n_classes):
    def loss(out):
        out = out["out"] if isinstance(out, dict) else out
        shape = (out.shape[0],) + tuple(out.shape[2:])
        return nn.functional.cross_entropy(
            out, torch.randint(n_classes, shape))
    return loss


def image(n=2, size=224):
    return torch.randn(n, 3, size, size)


def tokens(n=2, length=64, vocabulary=1000):
    return torch.randint(3, vocabulary, (n, length))


def boxes(size=320):
    corners = torch.tensor([[20.0, 30, 120, 150], [60, 50, 300, 280]])
    return {"boxes": corners, "labels": torch.tensor([3, 7]),
            "masks": torch.randint(2, (2, size, size), dtype=torch.uint8)}


def detector(make, size=320):
    model = make(weights=None, weights_backbone=None, num_classes=91)
    images = [torch.rand(3, size, size), torch.rand(3, size, size)]
    return model, (images, [boxes(size), boxes(size)]), sum_of_losses


def hugging(name, inputs, loss=mean_of_all, **config):
    """`name` is the model's class; its configuration is the default one, but
    for the words given.
    """
    import transformers
    model = getattr(transformers, name)
    settings = model.config_class(**config)
    return model(settings), inputs, loss


# --- seen ---


@seen
def deeplabv3_resnet50():
    from torchvision.models.segmentation import deeplabv3_resnet50 as make
    return make(weights=None, weights_backbone=None), (image(),), \
        cross_entropy(21)


@seen
def fasterrcnn_resnet50():
    from torchvision.models.detection import fasterrcnn_resnet50_fpn
    return detector(fasterrcnn_resnet50_fpn)


@seen
def r3d_18():
    from torchvision.models.video import r3d_18 as make
    return make(), (torch.randn(1, 3, 8, 112, 112),), cross_entropy(400)


@seen
def raft_small():
    from torchvision.models.optical_flow import raft_small as make
    return make(), (image(1, 128), image(1, 128)), mean_of_all


@seen
def t5():
    return hugging("T5ForConditionalGeneration",
                   dict(input_ids=tokens(), decoder_input_ids=tokens(2, 32),
                        labels=tokens(2, 32)),
                   num_layers=2, num_decoder_layers=2)


@seen
def whisper():
    return hugging("WhisperForConditionalGeneration",
                   dict(input_features=torch.randn(1, 80, 3000),
                        labels=tokens(1, 32)),
                   encoder_layers=1, decoder_layers=1)


@seen
def clip():
    return hugging("CLIPModel",
                   dict(input_ids=tokens(2, 20), pixel_values=image(),
                        return_loss=True),
                   text_config=dict(num_hidden_layers=2),
                   vision_config=dict(num_hidden_layers=2))


@seen
def mamba():
    return hugging("MambaForCausalLM",
                   dict(input_ids=tokens(1, 16), labels=tokens(1, 16)),
                   num_hidden_layers=1, vocab_size=1000)


@seen
def wav2vec2():
    return hugging("Wav2Vec2ForCTC",
                   dict(input_values=torch.randn(2, 16000),
                        labels=torch.randint(1, 30, (2, 12))),
                   num_hidden_layers=2)


@seen
def segformer():
    return hugging("SegformerForSemanticSegmentation",
                   dict(pixel_values=image(1, 256),
                        labels=torch.randint(0, 2, (1, 256, 256))))


@seen
def llama():
    return hugging("LlamaForCausalLM",
                   dict(input_ids=tokens(), labels=tokens()),
                   num_hidden_layers=1, vocab_size=1000, hidden_size=1024,
                   intermediate_size=2816)


@seen
def unet_2d():
    from diffusers import UNet2DModel
    return UNet2DModel(sample_size=32, block_out_channels=(64, 128, 256, 256),
                       norm_num_groups=32), \
        (torch.randn(2, 3, 32, 32), torch.tensor([10, 500])), mean_of_all


@seen
def dlrm():
    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList(
                nn.EmbeddingBag(n, 64, mode="sum") for n in (1000, 5000, 200))
            self.below = nn.Sequential(nn.Linear(13, 256), nn.ReLU(),
                                       nn.Linear(256, 64), nn.ReLU())
            self.above = nn.Sequential(nn.Linear(64 + 6, 256), nn.ReLU(),
                                       nn.Linear(256, 1))

        def forward(self, dense, indices, offsets):
            below = self.below(dense)
            all_of = torch.stack([below] + [
                bag(i, offsets) for bag, i in zip(self.bags, indices)], 1)
            pairs = all_of @ all_of.transpose(1, 2)
            rows, columns = torch.tril_indices(4, 4, -1)
            return self.above(torch.cat([below, pairs[:, rows, columns]], 1))

    indices = [torch.randint(n, (512,)) for n in (1000, 5000, 200)]
    return Dlrm(), (torch.randn(128, 13), indices, torch.arange(0, 512, 4)), \
        lambda out: nn.functional.binary_cross_entropy_with_logits(
            out, torch.randint(2, out.shape).float())


@seen
def graph_convolution():
    class Gcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.lines = nn.ModuleList([nn.Linear(128, 64), nn.Linear(64, 10)])

        def forward(self, x, edges):
            degree = torch.zeros(x.shape[0]).scatter_add(
                0, edges[1], torch.ones(edges.shape[1]))
            weight = degree.clamp(min=1).pow(-0.5)
            weight = weight[edges[0]] * weight[edges[1]]
            for line in self.lines:
                sent = line(x)[edges[0]] * weight[:, None]
                x = torch.zeros(x.shape[0], sent.shape[1]).index_add(
                    0, edges[1], sent).relu()
            return x

    return Gcn(), (torch.randn(500, 128), torch.randint(500, (2, 4000))), \
        cross_entropy(10)


@seen
def lstm_tagger():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(1000, 128)
            self.lstm = nn.LSTM(128, 256, 2, batch_first=True,
                                bidirectional=True)
            self.line = nn.Linear(512, 20)

        def forward(self, x):
            return self.line(self.lstm(self.embedding(x))[0]).transpose(1, 2)

    return Tagger(), (tokens(8, 32),), cross_entropy(20)


# --- unseen ---


@unseen
def lraspp_mobilenet():
    from torchvision.models.segmentation import lraspp_mobilenet_v3_large
    return lraspp_mobilenet_v3_large(weights=None, weights_backbone=None), \
        (image(),), cross_entropy(21)


@unseen
def mvit_v2():
    from torchvision.models.video import mvit_v2_s
    return mvit_v2_s(), (torch.randn(1, 3, 16, 224, 224),), cross_entropy(400)


@unseen
def shufflenet_v2():
    from torchvision.models import shufflenet_v2_x1_0
    return shufflenet_v2_x1_0(), (image(),), cross_entropy(1000)


@unseen
def maxvit():
    from torchvision.models import maxvit_t
    return maxvit_t(), (image(1),), cross_entropy(1000)


@unseen
def efficientvit():
    import timm
    return timm.create_model("efficientvit_b1"), (image(),), \
        cross_entropy(1000)


@unseen
def mask2former():
    return hugging("Mask2FormerForUniversalSegmentation",
                   dict(pixel_values=image(1),
                        mask_labels=[torch.randint(2, (3, 224, 224)).float()],
                        class_labels=[torch.tensor([1, 5, 9])]),
                   encoder_layers=1, decoder_layers=2, num_labels=20)


@unseen
def detr():
    return hugging("DetrForObjectDetection", dict(pixel_values=image(1)),
                   use_timm_backbone=True, use_pretrained_backbone=False,
                   backbone="resnet50", encoder_layers=1, decoder_layers=1)


@unseen
def dpt():
    return hugging("DPTForDepthEstimation", dict(pixel_values=image(1, 384)),
                   num_hidden_layers=4, backbone_out_indices=[0, 1, 2, 3])


@unseen
def sam():
    return hugging("SamModel",
                   dict(pixel_values=image(1, 1024),
                        input_points=torch.rand(1, 1, 2, 2) * 1024),
                   vision_config=dict(num_hidden_layers=2,
                                      global_attn_indexes=[1]))


@unseen
def hubert():
    return hugging("HubertForSequenceClassification",
                   dict(input_values=torch.randn(2, 16000),
                        labels=torch.tensor([0, 1])), num_hidden_layers=2)


@unseen
def audio_spectrogram():
    return hugging("ASTForAudioClassification",
                   dict(input_values=torch.randn(1, 1024, 128),
                        labels=torch.tensor([1])), num_hidden_layers=2)


@unseen
def encodec():
    return hugging("EncodecModel", dict(input_values=torch.randn(1, 1, 6400)))


@unseen
def vits():
    return hugging("VitsModel", dict(input_ids=tokens(1, 12, 38)))


@unseen
def gpt_neox():
    return hugging("GPTNeoXForCausalLM",
                   dict(input_ids=tokens(), labels=tokens()),
                   num_hidden_layers=1, vocab_size=1000, hidden_size=1024,
                   num_attention_heads=16, intermediate_size=4096)


@unseen
def mixtral():
    return hugging("MixtralForCausalLM",
                   dict(input_ids=tokens(), labels=tokens()),
                   num_hidden_layers=1, vocab_size=1000, hidden_size=512,
                   intermediate_size=1024, num_attention_heads=8,
                   num_key_value_heads=4)


@unseen
def switch_transformer():
    return hugging("SwitchTransformersForConditionalGeneration",
                   dict(input_ids=tokens(1, 32),
                        decoder_input_ids=tokens(1, 16), labels=tokens(1, 16)),
                   num_layers=2, num_decoder_layers=2, d_model=256)


@unseen
def vilt():
    return hugging("ViltForQuestionAnswering",
                   dict(input_ids=tokens(1, 20), pixel_values=image(1, 384),
                        labels=torch.rand(1, 2)), num_hidden_layers=2)


@unseen
def time_series():
    return hugging("PatchTSTForPrediction",
                   dict(past_values=torch.randn(4, 128, 7),
                        future_values=torch.randn(4, 24, 7)),
                   num_input_channels=7, context_length=128,
                   prediction_length=24)


@unseen
def decision_transformer():
    return hugging("DecisionTransformerModel",
                   dict(states=torch.randn(2, 20, 17),
                        actions=torch.randn(2, 20, 4),
                        rewards=torch.randn(2, 20, 1),
                        returns_to_go=torch.randn(2, 20, 1),
                        timesteps=torch.randint(100, (2, 20)),
                        attention_mask=torch.ones(2, 20)), n_layer=2)


@unseen
def vae():
    from diffusers import AutoencoderKL
    return AutoencoderKL(block_out_channels=(64, 128),
                         down_block_types=["DownEncoderBlock2D"] * 2,
                         up_block_types=["UpDecoderBlock2D"] * 2), \
        (image(1, 64),), mean_of_all


@unseen
def diffusion_transformer():
    from diffusers import DiTTransformer2DModel
    return DiTTransformer2DModel(num_layers=2, sample_size=32), \
        dict(hidden_states=torch.randn(2, 4, 32, 32),
             timestep=torch.tensor([3, 400]),
             class_labels=torch.tensor([1, 7])), mean_of_all


@unseen
def graph_attention():
    class Gat(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(64, 8 * 16)
            self.score = nn.Parameter(torch.randn(2, 8, 16))
            self.last = nn.Linear(8 * 16, 10)

        def forward(self, x, edges):
            n, (a, b) = x.shape[0], edges
            h = self.line(x).view(n, 8, 16)
            e = nn.functional.leaky_relu(
                (h * self.score[0]).sum(-1)[a] + (h * self.score[1]).sum(-1)[b])
            to = b[:, None].expand(-1, 8)
            most = torch.full((n, 8), float("-inf")).scatter_reduce(
                0, to, e, "amax")
            e = (e - most[b]).exp()
            e = e / (torch.zeros(n, 8).scatter_add(0, to, e)[b] + 1e-9)
            out = torch.zeros(n, 8, 16).index_add(0, b, h[a] * e[..., None])
            return self.last(nn.functional.elu(out.flatten(1)))

    return Gat(), (torch.randn(300, 64), torch.randint(300, (2, 3000))), \
        cross_entropy(10)


@unseen
def two_towers():
    class Towers(nn.Module):
        def __init__(self):
            super().__init__()
            self.users = nn.EmbeddingBag(10000, 64, mode="mean")
            self.items = nn.Embedding(5000, 64)
            self.gru = nn.GRU(64, 64, batch_first=True)

        def forward(self, user, offsets, item):
            u = self.users(user, offsets)
            h, _ = self.gru(self.items(item))
            u = nn.functional.normalize(u, dim=-1)
            v = nn.functional.normalize(h[:, -1], dim=-1)
            return u @ v.t() / 0.07

    def loss(out):
        return nn.functional.cross_entropy(out, torch.arange(out.shape[0]))

    return Towers(), (torch.randint(10000, (256,)), torch.arange(0, 256, 8),
                      torch.randint(5000, (32, 12))), loss
